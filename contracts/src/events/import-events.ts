import { Type, type Static } from 'typebox';
import { Count } from './shapes.js';

const OperationId = Type.String({ format: 'uuid' });

export const ImportKind = Type.Union([Type.Literal('employees'), Type.Literal('managers')]);
export type ImportKind = Static<typeof ImportKind>;

/** The body of a queued import: binary chunks in their own stream. */
export const PayloadReference = Type.Object({
  stream: Type.String({ pattern: '^payload-[0-9a-f-]{36}$' }),
  count: Type.Integer({ minimum: 1 }),
  bytes: Type.Integer({ minimum: 1 }),
  /** Over all chunks, hex: the SHA-256 of the unpacked body. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type PayloadReference = Static<typeof PayloadReference>;

/** What a caller was shown: the import is carried out only on this set, and only where it comes to this outcome. */
export const ImportPreview = Type.Object({
  revision: Type.Union([Count, Type.Null()]),
  outcome: Type.String({ minLength: 1 }),
});
export type ImportPreview = Static<typeof ImportPreview>;

/** On `company-{companyId}`: the import joins the company's queue. */
export const ImportQueued = Type.Object({
  operationId: OperationId,
  kind: ImportKind,
  method: Type.String(),
  payload: PayloadReference,
  elements: Count,
  /** The set revision that If-Match named; checked again at the run. */
  ifMatch: Type.Union([Count, Type.Null()]),
  /** That If-Preview named; checked again at the run. */
  preview: Type.Union([ImportPreview, Type.Null()]),
  /** `Renames=keep`. */
  keepsRenames: Type.Boolean(),
  /** The import that an operator repeats with this one; else null. */
  retryOf: Type.Union([OperationId, Type.Null()]),
});
export type ImportQueued = Static<typeof ImportQueued>;

/** On `company-{companyId}`: a queued import ended without a change. */
export const ImportFailed = Type.Object({
  operationId: OperationId,
  kind: ImportKind,
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  /** One line, without personal values. */
  reason: Type.String({ minLength: 1 }),
  validationErrors: Type.Array(Type.String()),
});
export type ImportFailed = Static<typeof ImportFailed>;

export const ImportCancelled = Type.Object({ operationId: OperationId, kind: ImportKind });

/** On `company-{companyId}`: the import would pass the batch limit, and waits for a decision. */
export const ImportHeld = Type.Object({
  operationId: OperationId,
  kind: ImportKind,
  inserted: Count,
  updated: Count,
  removed: Count,
  present: Count,
  limit: Type.Number({ minimum: 0 }),
  /** What an approval approves, as in `ImportPreview`. */
  outcome: Type.String({ minLength: 1 }),
});
export type ImportHeld = Static<typeof ImportHeld>;

/** On `company-{companyId}`: a held import is carried out where it still comes to this outcome. */
export const ImportApproved = Type.Object({
  operationId: OperationId,
  kind: ImportKind,
  outcome: Type.String({ minLength: 1 }),
});

/** On `company-{companyId}`: a held import ended without a change. */
export const ImportRejected = Type.Object({ operationId: OperationId, kind: ImportKind });

/** On `operation-{operationId}`: a run began. One per process, unless the last attempt ended or had `ImportInterrupted`. */
export const ImportStarted = Type.Object({
  operationId: OperationId,
  attempt: Type.Integer({ minimum: 1 }),
});

/** On `operation-{operationId}`: this start does not count against the import. The run may still end it. */
export const ImportInterrupted = Type.Object({
  operationId: OperationId,
  attempt: Type.Integer({ minimum: 1 }),
  startId: Type.String({ format: 'uuid' }),
  cause: Type.Union([Type.Literal('outage'), Type.Literal('stop'), Type.Literal('overtaken')]),
});

/** On `operation-{operationId}`: a large import's progress, at most 20 per operation. */
export const ImportProgressed = Type.Object({
  operationId: OperationId,
  attempt: Type.Integer({ minimum: 1 }),
  stage: Type.Union([Type.Literal('reading'), Type.Literal('deciding'), Type.Literal('writing')]),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
});

export const ImportAttemptFailed = Type.Object({
  operationId: OperationId,
  /** 1, 2, 3: the third failure abandons the import. */
  attempt: Type.Integer({ minimum: 1 }),
  /** No values. */
  problem: Type.String({ minLength: 1 }),
});

/** On `key-{keyHash}`: a call with an Idempotency-Key outside company streams has begun, or a form of the page was sent. */
export const IdempotencyKeyClaimed = Type.Object({
  /** Every repeat of the call appends under it. */
  operationId: OperationId,
  bodySha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  reserved: Type.Union([
    Type.Object({
      surveyId: Type.Integer({ minimum: 1 }),
      surveyDefinitionId: Type.Integer({ minimum: 1 }),
    }),
    Type.Null(),
  ]),
});
export type IdempotencyKeyClaimed = Static<typeof IdempotencyKeyClaimed>;

/** On `key-{keyHash}`: the call's outcome; a refusal frees the key. */
export const IdempotencyKeySettled = Type.Object({
  operationId: OperationId,
  outcome: Type.Union([Type.Literal('done'), Type.Literal('refused')]),
});
export type IdempotencyKeySettled = Static<typeof IdempotencyKeySettled>;
