import { decideAndAppend, decideStep, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/linked-events.js';
import { ownEvent } from '../event-store/loaded-event.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import type { CallContext, IdempotencyKeyClaimed, IdempotencyKeySettled } from '@rollcall/contracts';
import { idempotency } from '@rollcall/domain';

type KeyDeps = Pick<DecideAndAppendDeps, 'log' | 'clock'>;

export type KeyedContext = CallContext & Required<Pick<CallContext, 'idempotency'>>;

export const hasKey = (context: CallContext): context is KeyedContext => context.idempotency !== undefined;

const streamOf = ({ idempotency: { keyHash } }: KeyedContext): string => `key-${keyHash}`;

const ofKeys = ['IdempotencyKeyClaimed', 'IdempotencyKeySettled'] as const;

const fold: Fold<idempotency.KeyState> = {
  initial: idempotency.initialState,
  evolve: async (state, event) =>
    idempotency.evolve(state, await ownEvent(event, ofKeys), event.metadata.recordedAt),
};

interface Claimed {
  readonly kind: 'claimed';
  readonly claim: idempotency.KeyClaim;
  readonly done: boolean;
}

const claimed = (state: Exclude<idempotency.KeyState, { status: 'unclaimed' }>): Claimed => ({
  kind: 'claimed',
  claim: state.claim,
  done: state.status === 'done',
});

const keyReused = { kind: 'key-reused' } as const;

/** Who holds the call's key, read at the head. */
export async function loadKeyStatus(
  { log }: KeyDeps,
  context: KeyedContext,
): Promise<Claimed | typeof keyReused | { readonly kind: 'free' }> {
  const { state } = await foldStream(log, streamOf(context), fold);
  const inForce = idempotency.claimInForce(state, Date.parse(context.receivedAt));
  if (state.status === 'unclaimed' || inForce === undefined) return { kind: 'free' };
  return inForce.bodySha256 === context.idempotency.bodySha256 ? claimed(state) : keyReused;
}

/** Claims the key; returns the claim in force: this call's, or that of one with the same body. */
export async function claimKey(
  deps: KeyDeps,
  context: KeyedContext,
  reserved: IdempotencyKeyClaimed['reserved'],
): Promise<Claimed | typeof keyReused> {
  const { operationId, idempotency: key } = context;
  const now = Date.parse(context.receivedAt);
  const command = { kind: 'claim', operationId, bodySha256: key.bodySha256, reserved, now } as const;
  const outcome = await decideAndAppend(deps, {
    stream: streamOf(context),
    context,
    fold,
    decide: (state) => idempotency.decide(command, state),
  });
  const { state } = outcome.loaded;
  if (outcome.kind === 'refused') return outcome.rejection;
  if (state.status === 'unclaimed') throw new Error('a claim of an Idempotency-Key left no claim');
  return claimed(state);
}

/** The index of each outcome's event in the claimed operation, after the claim. */
const settledIndex = { refused: 1, done: 2 } as const;

/** Records the claimed call's outcome. `context` is the claim's. */
export async function settleKey(
  deps: KeyDeps,
  context: KeyedContext,
  outcome: IdempotencyKeySettled['outcome'],
): Promise<void> {
  const command = { kind: 'settle', operationId: context.operationId, outcome } as const;
  const stream = streamOf(context);
  await decideStep(deps, {
    stream,
    context,
    fold,
    decide: (state) => idempotency.decide(command, state),
    // The claim is an event of this operation too.
    idOf: () => eventId(context.operationId, stream, settledIndex[outcome]),
  });
}
