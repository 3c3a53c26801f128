import type { FastifyRequest } from 'fastify';

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** The page's own origin as this request names it; undefined where the page is not to be seen there. */
export function ownOrigin(
  { headers }: FastifyRequest,
  operationsUrl: string | undefined,
): string | undefined {
  const { host = '' } = headers;
  if (operationsUrl !== undefined) {
    const { origin, host: own } = new URL(operationsUrl);
    return host.toLowerCase() === own ? origin : undefined;
  }
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname) ? new URL(url).origin : undefined;
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
