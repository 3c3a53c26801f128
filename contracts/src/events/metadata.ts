import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Event metadata without the values that only the appender can know (design: "Streams and events"). */
export const CallContext = Type.Object({
  /** The company the event speaks of; null where it concerns the whole installation. */
  companyId: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** The call or command that caused the event: a UUID v7. */
  operationId: Type.String({ format: 'uuid' }),
  /** The API user who called; null for the command line and for the processes themselves. */
  userId: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** The API user's name, or `cli:<os user>@<host>`, or `system:<process>@<host>`. */
  username: Type.String({ minLength: 1 }),
  /** The id of the event that led to this one; null where a person's call did. */
  causationId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  /** When the call came in, ISO 8601 UTC with milliseconds. */
  receivedAt: Type.String(),
  /** Why, where a command takes a reason. */
  reason: Type.Optional(Type.String()),
  /** Where the caller sent an Idempotency-Key. */
  idempotency: Type.Optional(
    Type.Object({ keyHash: Type.String(), bodySha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  ),
});
export type CallContext = Static<typeof CallContext>;

/** The metadata as stored. `chain` is the last member, so that everything before it can be hashed as stored. */
export const EventMetadata = Type.Interface([CallContext], {
  /** max(clock, `recordedAt` of the event before it in the stream), ISO 8601 UTC with milliseconds. */
  recordedAt: Type.String(),
  /** SHA-256, hex, over the previous event's chain and this event as stored. */
  chain: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type EventMetadata = Static<typeof EventMetadata>;

const contextCheck = Compile(CallContext);
const metadataCheck = Compile(EventMetadata);

export const isCallContext = (value: unknown): value is CallContext => contextCheck.Check(value);
export const isEventMetadata = (value: unknown): value is EventMetadata => metadataCheck.Check(value);
