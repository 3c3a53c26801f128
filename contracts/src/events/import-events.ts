import { Type, type Static } from 'typebox';

const OperationId = Type.String({ format: 'uuid' });
const Count = Type.Integer({ minimum: 0 });

/** The two kinds of import: what a queued one replaces. */
export const ImportKind = Type.Union([Type.Literal('employees'), Type.Literal('managers')]);
export type ImportKind = Static<typeof ImportKind>;

/** Where the body of a queued import lies: its bytes in binary chunks, in a stream of its own. */
export const PayloadReference = Type.Object({
  stream: Type.String({ pattern: '^payload-[0-9a-f-]{36}$' }),
  /** How many chunks. */
  count: Type.Integer({ minimum: 1 }),
  /** Their bytes in sum. */
  bytes: Type.Integer({ minimum: 1 }),
  /** Over all chunks, hex: the SHA-256 of the unpacked body. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type PayloadReference = Static<typeof PayloadReference>;

/** On `company-{companyId}`: the import is accepted and stands at the end of the company's queue. */
export const ImportQueued = Type.Object({
  operationId: OperationId,
  kind: ImportKind,
  /** `PUT /v1.0/Company/7/Employee`, for the ApiCalls row. */
  method: Type.String(),
  payload: PayloadReference,
  /** Elements of the array that is imported. */
  elements: Count,
  /** The set revision that the caller's If-Match named; it is checked again when the import runs. */
  ifMatch: Type.Union([Count, Type.Null()]),
  /** The import that this one repeats on a person's word; null for a caller's own. */
  retryOf: Type.Union([OperationId, Type.Null()]),
});
export type ImportQueued = Static<typeof ImportQueued>;

/** On `company-{companyId}`: a queued import ended without a change. */
export const ImportFailed = Type.Object({
  operationId: OperationId,
  kind: ImportKind,
  /** What its ApiCalls row shows: 400 refused by a rule, 412 If-Match, 500 given up. */
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  /** One line for a person, without personal values. */
  reason: Type.String({ minLength: 1 }),
  validationErrors: Type.Array(Type.String()),
});
export type ImportFailed = Static<typeof ImportFailed>;

/** On `company-{companyId}`: a person took a queued import out of the queue. */
export const ImportCancelled = Type.Object({ operationId: OperationId, kind: ImportKind });
export type ImportCancelled = Static<typeof ImportCancelled>;

/**
 * On `operation-{operationId}`: a process began to run the import. One for each process, unless `ImportInterrupted` or the
 * attempt's end stands behind it: then the next run in that process is another start.
 */
export const ImportStarted = Type.Object({
  operationId: OperationId,
  /** 1 for the first. */
  attempt: Type.Integer({ minimum: 1 }),
});
export type ImportStarted = Static<typeof ImportStarted>;

/**
 * On `operation-{operationId}`: the process of a start lives, or ends for a reason of its own. What becomes of it from here
 * on is not the import's doing; the run may go on and end the import all the same.
 */
export const ImportInterrupted = Type.Object({
  operationId: OperationId,
  /** The one of `ImportStarted`. */
  attempt: Type.Integer({ minimum: 1 }),
  /** The id of its `ImportStarted`. */
  startId: Type.String({ format: 'uuid' }),
  /** An outage ended the run; the process was told to end; another process has started the import as well. */
  cause: Type.Union([Type.Literal('outage'), Type.Literal('stop'), Type.Literal('overtaken')]),
});
export type ImportInterrupted = Static<typeof ImportInterrupted>;

/** On `operation-{operationId}`: how far a large import is; at most 20 for each operation. */
export const ImportProgressed = Type.Object({
  operationId: OperationId,
  /** The one of `ImportStarted`. */
  attempt: Type.Integer({ minimum: 1 }),
  stage: Type.Union([Type.Literal('reading'), Type.Literal('deciding'), Type.Literal('writing')]),
  /** Of the whole import, 0 .. 100. */
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
});
export type ImportProgressed = Static<typeof ImportProgressed>;

/** On `operation-{operationId}`: an attempt failed for a reason that lies in the import; outages are no attempts. */
export const ImportAttemptFailed = Type.Object({
  operationId: OperationId,
  /** 1, 2, 3: after the third the import is given up. */
  attempt: Type.Integer({ minimum: 1 }),
  /** Names places only, no values. */
  problem: Type.String({ minLength: 1 }),
});
export type ImportAttemptFailed = Static<typeof ImportAttemptFailed>;

/** On `key-{keyHash}`: a call with an Idempotency-Key that belongs to no company stream has begun. */
export const IdempotencyKeyClaimed = Type.Object({
  /** Under which the call, and every repeat of it, appends. */
  operationId: OperationId,
  bodySha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** What was reserved for the call: a new survey's numbers; null where nothing was. */
  reserved: Type.Union([
    Type.Object({
      surveyId: Type.Integer({ minimum: 1 }),
      surveyDefinitionId: Type.Integer({ minimum: 1 }),
    }),
    Type.Null(),
  ]),
});
export type IdempotencyKeyClaimed = Static<typeof IdempotencyKeyClaimed>;

/** On `key-{keyHash}`: how the call ended; a refusal frees the key. */
export const IdempotencyKeySettled = Type.Object({
  operationId: OperationId,
  outcome: Type.Union([Type.Literal('done'), Type.Literal('refused')]),
});
export type IdempotencyKeySettled = Static<typeof IdempotencyKeySettled>;
