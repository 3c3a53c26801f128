import swaggerUi from '@fastify/swagger-ui';
import type { ApiApp } from '../http/fastify-types.js';
import { icon } from '../icon.js';
import { pagePolicy } from '../http/request-log.js';
import { referencePlugin } from './reference-plugin.js';

const style = `
.swagger-ui button.answer { background: none; border: 0; color: inherit; cursor: pointer; font: inherit; padding: 0; white-space: nowrap; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 8px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding: 10px 0; }
  .swagger-ui .opblock-tag small { flex: 1 0 100%; order: 1; padding: 4px 0 0; }
  .swagger-ui .opblock-body .parameters tr { display: block; margin-bottom: 12px; }
  .swagger-ui .opblock-body .parameters thead { display: none; }
  .swagger-ui .opblock-body .parameters td { display: block; padding: 2px 0; width: 100%; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { max-width: 100%; width: 100%; }
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .responses-inner { overflow-x: auto; padding: 12px 8px; }
}
`;

/** `/docs`: an offline reference page for trying calls. It keeps the token over a reload. */
export async function referencePage(app: ApiApp): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      // Hides the top bar, which loads other documents and has inline styles.
      layout: 'BaseLayout',
      plugins: [referencePlugin],
      validatorUrl: null,
      persistAuthorization: true,
      displayRequestDuration: true,
    },
    theme: {
      title: 'Rollcall',
      css: [{ filename: 'rollcall.css', content: style }],
      favicon: [
        { filename: 'rollcall.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon },
      ],
    },
    staticCSP: pagePolicy,
    logLevel: 'warn',
  });
}
