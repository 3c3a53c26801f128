import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Event metadata that is known before the append (design: "Streams and events"). */
export const CallContext = Type.Object({
  /** Null where the event concerns the whole installation. */
  companyId: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  operationId: Type.String({ format: 'uuid' }),
  /** The API user; null for the command line and the processes. */
  userId: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** The API user's name, `cli:<os user>@<host>`, `operator:<name>`, or `system:<process>@<host>`. */
  username: Type.String({ minLength: 1 }),
  /** The event that led to this one; null for a person's call. */
  causationId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  receivedAt: Type.String(),
  reason: Type.Optional(Type.String()),
  idempotency: Type.Optional(
    Type.Object({ keyHash: Type.String(), bodySha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  ),
  /** The import that this operation takes back. */
  undoes: Type.Optional(Type.String({ format: 'uuid' })),
});
export type CallContext = Static<typeof CallContext>;

/** As stored. `chain` is the last member: everything before it is hashed as stored. */
export const EventMetadata = Type.Interface([CallContext], {
  /** max(clock, `recordedAt` of the previous event in the stream), ISO 8601 UTC with milliseconds. */
  recordedAt: Type.String(),
  /** SHA-256, hex, over the previous chain value and this event as stored. */
  chain: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type EventMetadata = Static<typeof EventMetadata>;

const contextCheck = Compile(CallContext);
const metadataCheck = Compile(EventMetadata);

export const isCallContext = (value: unknown): value is CallContext => contextCheck.Check(value);
export const isEventMetadata = (value: unknown): value is EventMetadata => metadataCheck.Check(value);

/** Large data of an event: its JSON text in binary chunks in their own stream (design: "Large data"). */
export const StagedReference = Type.Object({
  stream: Type.String({ pattern: '^data-[0-9a-f-]{36}-[0-9a-f]{16}$' }),
  count: Type.Integer({ minimum: 1 }),
  bytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type StagedReference = Static<typeof StagedReference>;

const StagedData = Type.Object({ staged: StagedReference }, { additionalProperties: false });
type StagedData = Static<typeof StagedData>;

const check = Compile(StagedData);

export const isStagedData = (value: unknown): value is StagedData => check.Check(value);
