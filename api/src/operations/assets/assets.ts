import { createHash } from 'node:crypto';
import type { ApiApp } from '../../http/fastify-types.js';
import { pageScript } from './script.js';
import { style } from './style.js';
import { viewStyle } from './view-style.js';

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14532d"/><path d="M8 10h10M8 16h10M8 22h6" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><path d="m20 20 3 3 5-7" fill="none" stroke="#86efac" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/></svg>';

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
