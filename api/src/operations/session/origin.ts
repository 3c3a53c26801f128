import type { FastifyRequest } from 'fastify';

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** The page's own origin; undefined where the request names another host. A proxy may leave out the port. */
export function ownOrigin(
  { headers }: FastifyRequest,
  operationsUrl: string | undefined,
): string | undefined {
  const sent = `http://${headers.host ?? ''}`;
  const { hostname, origin } = URL.canParse(sent) ? new URL(sent) : { hostname: '', origin: '' };
  if (operationsUrl === undefined) return isLoopback(hostname) ? origin : undefined;
  const own = new URL(operationsUrl);
  return hostname === own.hostname ? own.origin : undefined;
}

/**
 * Whether another site's page sent the form. A browser says so in `Sec-Fetch-Site`, which it leaves out for plain HTTP on a network;
 * its `Origin` is `null` because the page has no referrer. What says nothing is no browser, and has no cookie to abuse.
 */
export function isForeign({ headers }: FastifyRequest, own: string): boolean {
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined) return site !== 'same-origin';
  if (origin === 'null') return own.startsWith('https:');
  return origin !== undefined && origin !== own;
}
