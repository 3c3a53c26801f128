import type { CallContext, IdempotencyKeyClaimed, IdempotencyKeySettled } from '@rollcall/contracts';
import { idempotency } from '@rollcall/domain';
import { decideAndAppend, decideStep, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/linked-events.js';
import { ownEvent } from '../event-store/loaded-event.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import type { SentSurvey, SurveyCommands, SurveyResult } from './survey-commands.js';
import type { NewSurveyNumbers } from './survey-ids.js';

type KeyDeps = Pick<DecideAndAppendDeps, 'log' | 'clock'>;

/** `replayed`: an earlier call with the key did it. */
export type KeyedSurveyResult =
  | { readonly kind: 'done'; readonly surveyIds: readonly number[]; readonly replayed: boolean }
  | Exclude<SurveyResult, { kind: 'done' }>
  /** The key came with another body. */
  | { readonly kind: 'key-reused' };

interface SurveyCall {
  readonly context: CallContext;
  readonly sent: SentSurvey;
  readonly reserve: () => Promise<NewSurveyNumbers | null>;
  readonly run: (context: CallContext, reserved: NewSurveyNumbers | null) => Promise<SurveyResult>;
}

/**
 * Once per Idempotency-Key (docs/contract, "Idempotency-Key"). A call claims its key and numbers first, and settles it
 * last. After a crash, or concurrently, another call completes the claim under its operation and numbers: no duplicates.
 */
export class KeyedSurveys {
  readonly #deps: KeyDeps;
  readonly #commands: SurveyCommands;

  constructor(deps: KeyDeps, commands: SurveyCommands) {
    this.#deps = deps;
    this.#commands = commands;
  }

  create(context: CallContext, sent: SentSurvey): Promise<KeyedSurveyResult> {
    return this.#once({
      context,
      sent,
      reserve: () => this.#commands.reserve(),
      run: (claim, reserved) => this.#commands.create(claim, sent, reserved ?? undefined),
    });
  }

  update(context: CallContext, sent: SentSurvey): Promise<KeyedSurveyResult> {
    return this.#once({
      context,
      sent,
      reserve: () => Promise.resolve(null),
      run: (claim) => this.#commands.update(claim, sent),
    });
  }

  async #once(call: SurveyCall): Promise<KeyedSurveyResult> {
    const { context } = call;
    if (!hasKey(context)) return answered(await call.run(context, null), false);
    const status = await loadKeyStatus(this.#deps, context);
    switch (status.kind) {
      case 'key-reused':
        return status;
      case 'claimed':
        return this.#claimed(call, context, status.claim.reserved);
      case 'free':
        // An invalid body claims nothing.
        if (call.sent.reading.problems.length > 0) return answered(await call.run(context, null), false);
        return this.#claimed(call, context, await call.reserve());
      default:
        return status satisfies never;
    }
  }

  async #claimed(
    call: SurveyCall,
    context: KeyedContext,
    numbers: NewSurveyNumbers | null,
  ): Promise<KeyedSurveyResult> {
    const claimed = await claimKey(this.#deps, context, numbers);
    if (claimed.kind === 'key-reused') return claimed;
    const { operationId, reserved } = claimed.claim;
    if (claimed.done) return doneBefore(call, reserved);
    const claim = { ...context, operationId };
    const result = await call.run(claim, reserved);
    await settleKey(this.#deps, claim, result.kind === 'done' ? 'done' : 'refused');
    return answered(result, operationId !== context.operationId);
  }
}

function answered(result: SurveyResult, isRepeat: boolean): KeyedSurveyResult {
  if (result.kind !== 'done') return result;
  return { kind: 'done', surveyIds: result.surveyIds, replayed: isRepeat && result.repeated };
}

function doneBefore({ sent }: SurveyCall, reserved: NewSurveyNumbers | null): KeyedSurveyResult {
  const surveyId = reserved?.surveyId ?? sent.reading.sent.id;
  return { kind: 'done', surveyIds: surveyId === null ? [] : [surveyId], replayed: true };
}

type KeyedContext = CallContext & Required<Pick<CallContext, 'idempotency'>>;

const hasKey = (context: CallContext): context is KeyedContext => context.idempotency !== undefined;

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
async function loadKeyStatus(
  { log }: KeyDeps,
  context: KeyedContext,
): Promise<Claimed | typeof keyReused | { readonly kind: 'free' }> {
  const { state } = await foldStream(log, streamOf(context), fold);
  const inForce = idempotency.claimInForce(state, Date.parse(context.receivedAt));
  if (state.status === 'unclaimed' || inForce === undefined) return { kind: 'free' };
  return inForce.bodySha256 === context.idempotency.bodySha256 ? claimed(state) : keyReused;
}

/** Claims the key; returns the claim in force: this call's, or that of one with the same body. */
async function claimKey(
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
async function settleKey(
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
