/** No type sniffing; as a page it may do nothing. */
export const bareHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of a page with forms: nothing from elsewhere, nothing inline, no frame around it, and no address for other sites. */
export const formPageHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** By the route's pattern; answers with personal data are never cached. */
export const safetyHeaders = (route: string | undefined): Readonly<Record<string, string>> =>
  route?.startsWith('/v1.0/') === true ? { ...bareHeaders, 'cache-control': 'no-store' } : bareHeaders;
