/** On every answer: nobody guesses its type, and as a page it may do nothing. */
export const bareHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Of the reference: what lies in its own folder, and nothing from elsewhere. */
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

/** Headers of an answer by the pattern of its route: whatever may tell of a person is stored nowhere on its way. */
export const safetyHeaders = (route: string | undefined): Readonly<Record<string, string>> =>
  route?.startsWith('/v1.0/') === true ? { ...bareHeaders, 'cache-control': 'no-store' } : bareHeaders;
