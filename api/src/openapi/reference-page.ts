import swaggerUi from '@fastify/swagger-ui';
import type { ApiApp } from '../http/fastify-types.js';
import { pagePolicy } from '../http/safety-headers.js';

const mark =
  '<rect width="32" height="32" rx="7" fill="#14532d"/><path d="M8 10h10M8 16h10M8 22h6" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><path d="m20 20 3 3 5-7" fill="none" stroke="#86efac" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/>';
const svg = 'image/svg+xml';
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${mark}</svg>`;
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="150" height="40" viewBox="0 -4 150 40">${mark}<text x="42" y="23" font-family="sans-serif" font-size="21" font-weight="600" fill="#fff">Rollcall</text></svg>`;

/** `/docs`: the document as a page on which calls can be tried. It works without the network, and keeps the token over a reload. */
export async function referencePage(app: ApiApp): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { validatorUrl: null, persistAuthorization: true, displayRequestDuration: true },
    theme: {
      title: 'Rollcall',
      favicon: [{ filename: 'rollcall.svg', rel: 'icon', type: svg, sizes: 'any', content: icon }],
    },
    logo: { type: svg, content: logo, href: '/docs' },
    staticCSP: pagePolicy,
    logLevel: 'warn',
  });
}
