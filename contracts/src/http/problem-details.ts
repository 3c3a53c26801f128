import { Type, type Static } from 'typebox';

/** Every `code` of a problem, with what it means and what to do. A code never changes its meaning. */
export const problemCodes = {
  'invalid-request':
    'The request breaks rules; `errors` has each of them. Nothing was changed. Mend them and send it again.',
  unauthorized:
    'The token is missing, wrong, expired or revoked, lacks the role, or is of another company. Check it; the reason is in the log of the service.',
  'not-found': 'There is nothing at this path, or your company has no such thing. Check the path and the id.',
  'method-not-allowed': 'The path does not take this method. Use one that the header Allow names.',
  'request-timeout': 'The request came too slowly. Send it again.',
  conflict: 'A call with this Idempotency-Key is under way. Send the same call again after Retry-After.',
  'precondition-failed':
    'The set is at another revision than the call asks for. Read it again before you decide.',
  'body-too-large': 'The body is larger than the endpoint takes. `GET .../Limits` has the limits.',
  'expectation-failed': 'Only `Expect: 100-continue` is understood. Send the request without the header.',
  'unsupported-media-type': 'Send JSON, with `Content-Encoding: gzip` or none.',
  unprocessable:
    'The Idempotency-Key was sent with another body within 24 hours. Send a new key with a new body.',
  'too-many-requests': 'A limit of calls is reached. Try again after the seconds in Retry-After.',
  'headers-too-large': 'The headers of the request are too large. Send fewer or shorter ones.',
  internal: 'An unexpected error happened. Report it with the value of `operationId`.',
  unavailable: 'The service cannot answer at the moment. Try again after the seconds in Retry-After.',
} as const;
export type ProblemCode = keyof typeof problemCodes;

/** Every `code` of one entry of `errors`. */
export const problemEntryCodes = {
  required: 'a required field is absent or null',
  type: 'a value has the wrong JSON type',
  blank: 'a text or list is empty or blank',
  'too-long': 'a text has too many characters or bytes',
  'too-many': 'a list or object has too many entries',
  format: 'a text has the wrong form',
  'not-allowed': 'a value is not among those that are allowed here',
  'not-unique': 'a value stands twice and must be unique',
  unknown: 'a key or name is not known here',
  'json-syntax': 'the body is no JSON that the service takes',
  'batch-limit': 'the import exceeds the batch limit of the company',
  'integration-off': 'company integration is not allowed',
  more: 'the number of problems that are left out',
  invalid: 'another rule, which `detail` states',
} as const;
export type ProblemEntryCode = keyof typeof problemEntryCodes;

const codeList = (codes: Readonly<Record<string, string>>): string =>
  Object.entries(codes)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
    .join('\n\n');

/** The body of every 4xx and 5xx for a caller that accepts `application/problem+json` (RFC 9457). */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({ description: 'A page about the code, relative to the server.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What happened and what to do.' }),
    instance: Type.String({ description: 'The X-Request-Id of the call, percent-encoded.' }),
    code: Type.Enum(Object.keys(problemCodes), { description: codeList(problemCodes) }),
    operationId: Type.Optional(
      Type.String({ description: 'The ApiOperationId, where the endpoint names it in its own body.' }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.Optional(
            Type.String({ description: 'The place in the body, as a JSON Pointer (RFC 6901).' }),
          ),
          code: Type.Enum(Object.keys(problemEntryCodes), { description: codeList(problemEntryCodes) }),
          detail: Type.String({ description: 'The text of ValidationErrors.' }),
          employeeId: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  {
    title: 'ProblemDetails',
    description:
      'The body of every error for a caller whose Accept names application/problem+json (RFC 9457).',
  },
);
export type ProblemDetails = Static<typeof ProblemDetails>;
