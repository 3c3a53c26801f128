import { Type } from 'typebox';
import type { AnswerHeaders } from './responses.js';

const IdempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'Printable ASCII characters, bare or in double quotes. The same call again within 24 hours gets the first answer, and has no second effect; the key with another body is a 422.',
  }),
);

/** Documentation only; `readIdempotencyKey` reads the header. */
export const KeyedHeaders = Type.Object({ 'Idempotency-Key': IdempotencyKey });

export const ImportHeaders = Type.Object({
  'Idempotency-Key': IdempotencyKey,
  'If-Match': Type.Optional(
    Type.String({
      pattern: '^(?:[*]|(?:W/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W/)?"[^"]*")*)$',
      description:
        'ETags of the set as it was read, in their double quotes, with commas between them, or *: at another revision the call is a 412.',
    }),
  ),
  'If-Preview': Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'The PreviewId of a dry run: where the body, the set or what comes of both is another one than in that dry run, the call is a 412.',
    }),
  ),
  Prefer: Type.Optional(Type.String({ description: 'respond-async: the import is queued in any case.' })),
});

export const replayedHeaders: AnswerHeaders = {
  'Idempotent-Replayed': Type.String({ description: 'true where an earlier answer is repeated.' }),
};

export const previewHeaders: AnswerHeaders = {
  'Preview-Id': Type.String({ description: 'The PreviewId of a dry run whose rows are CSV.' }),
};

export const revisionHeaders: AnswerHeaders = {
  ETag: Type.String({
    description: 'The revision of the set, for If-Match of the import; absent before the first import.',
  }),
};

export const pageHeaders: AnswerHeaders = {
  Link: Type.String({ description: 'Where the next page is: `<...>; rel="next"`; absent on the last.' }),
};

export const queuedHeaders: AnswerHeaders = {
  ...replayedHeaders,
  Location: Type.String({ description: 'Where to follow the import.' }),
  'Retry-After': Type.Integer({ description: 'Seconds after which it is worth to look.' }),
  'Preference-Applied': Type.String({ description: 'respond-async where the caller preferred that.' }),
};
