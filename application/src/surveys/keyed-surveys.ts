import type { CallContext } from '@rollcall/contracts';
import type { DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { claimKey, hasKey, loadKeyStatus, settleKey, type KeyedContext } from './key-stream.js';
import type { SentSurvey, SurveyCommands, SurveyResult } from './survey-commands.js';
import type { NewSurveyNumbers } from './survey-ids.js';

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
  readonly #deps: Pick<DecideAndAppendDeps, 'log' | 'clock'>;
  readonly #commands: SurveyCommands;

  constructor(deps: Pick<DecideAndAppendDeps, 'log' | 'clock'>, commands: SurveyCommands) {
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
