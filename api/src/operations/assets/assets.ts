import { createHash } from 'node:crypto';
import type { ApiApp } from '../../http/fastify-types.js';
import { icon } from '../../icon.js';
import { pageScript } from './script.js';
import { style } from './style.js';
import { viewStyle } from './view-style.js';

const assets = [
  { name: 'page.css', type: 'text/css; charset=utf-8', text: style + viewStyle },
  { name: 'page.js', type: 'text/javascript; charset=utf-8', text: `(${pageScript.toString()})();\n` },
  { name: 'icon.svg', type: 'image/svg+xml', text: icon },
] as const;

const hash = createHash('sha256')
  .update(assets.map(({ text }) => text).join('\0'))
  .digest('hex')
  .slice(0, 16);

/** Their folder; another one when one of them changes. */
export const assetsPath = `/operations/assets/${hash}`;

export function assetRoutes(app: ApiApp): void {
  for (const { name, type, text } of assets)
    app.route({
      method: 'GET',
      url: `/assets/${hash}/${name}`,
      schema: { hide: true },
      handler: (_request, reply) =>
        reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(text),
    });
}
