import type { IncomingMessage } from 'node:http';

const acceptable = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** The caller's own `X-Request-Id` where it is 1 to 128 printable ASCII characters, otherwise a new one. */
export function requestId(request: IncomingMessage, newId: () => string): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptable.test(sent) ? sent : newId();
}
