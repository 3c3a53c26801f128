import { problemCodes, problemEntryCodes } from '@rollcall/contracts';
import { HttpError } from '../http/errors.js';
import type { Routes } from '../route-dependencies.js';

const codes: Readonly<Record<string, string>> = problemCodes;

const html = (text: string): string => text.replace(/`([^`]+)`/g, '<code>$1</code>');

const entries = `<h2>Codes in errors</h2>
<dl>${Object.entries(problemEntryCodes)
  .map(([code, meaning]) => `<dt><code>${code}</code></dt><dd>${html(meaning)}</dd>`)
  .join('\n')}</dl>`;

const pageOf = (code: string, meaning: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code} - Rollcall</title>
<h1><code>${code}</code></h1>
<p>${html(meaning)}</p>
${code === 'invalid-request' ? entries : ''}
<p><a href="../">All of the reference</a></p>
</html>
`;

/** `/docs/problems/{code}`: what the `type` of a problem leads to (RFC 9457). */
export const problemPages: Routes = (app) => {
  app.route<{ Params: { code: string } }>({
    method: 'GET',
    url: '/docs/problems/:code',
    config: { rateLimit: false },
    schema: { hide: true },
    handler: ({ params: { code } }, reply) => {
      const meaning = Object.hasOwn(codes, code) ? codes[code] : undefined;
      if (meaning === undefined) throw new HttpError('not-found');
      return reply.type('text/html; charset=utf-8').send(pageOf(code, meaning));
    },
  });
};
