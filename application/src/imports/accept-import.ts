import type { ImportPreview, ImportQueued } from '@rollcall/contracts';
import {
  type Acceptance,
  type AcceptedIfValid,
  acceptImport,
  type CompanyState,
  defaultQueueBodyBytes,
  isQueued,
  readPreviewId,
} from '@rollcall/domain';
import {
  DecidedTooLate,
  type Decision,
  decideStep,
  type Outcome,
  type PreparedEvents,
  type StepRequest,
} from '../event-store/decide-and-append.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import { eventId, type NewEvent } from '../event-store/linked-events.js';
import { type WrittenPayload, payloadReference, writePayload } from './payloads.js';
import type { ImportEngineDeps } from './import-deps.js';
import {
  outcomeOf,
  type DecidedImport,
  type HeldImport,
  type ImportCall,
  type ImportHandler,
  withLookUps,
} from './import-handler.js';
import { proofStream, writeProof } from './list-proofs.js';
import { EmailsNeeded } from './kept-renames.js';
import { importLimits } from '../ports/import-limits.js';
import { ImportsBusy, type BareImportRequest, type ImportOutcome } from '../ports/imports.js';
import { recordRefusal } from './operation-log.js';
import { writtenOf } from '../own-read-models.js';
import { monotonicMs } from '../timers.js';
import { readTerminalEvent } from './terminal-events.js';

type AcceptDecision = Decision<ImportOutcome> | PreparedEvents<CompanyState>;

const refused = (rejection: ImportOutcome): AcceptDecision => ({ kind: 'refused', rejection });
const refusedFor = (errors: readonly string[]): AcceptDecision =>
  refused({ kind: 'refused', errors, written: undefined });

export interface StoredRequest extends BareImportRequest, Pick<ImportCall, 'body' | 'employees'> {
  /** Present where the payload was written while it arrived: the import is then sure to be queued or refused. */
  readonly payload?: WrittenPayload | undefined;
}

export class AcceptImport {
  readonly #deps: ImportEngineDeps;
  readonly #request: StoredRequest;
  readonly #handler: ImportHandler;
  #hasWritten = false;
  /** Decisions to carry it out at once; each but the last lost its append. */
  #tries = 0;

  constructor(deps: ImportEngineDeps, request: StoredRequest, handler: ImportHandler) {
    this.#deps = deps;
    this.#request = request;
    this.#handler = handler;
  }

  /** `ImportsBusy` where its time was over before it was decided. */
  async run(stream: string): Promise<ImportOutcome> {
    const outcome = await withLookUps(
      EmailsNeeded,
      (isFirst) => decideStep(this.#deps, { ...this.step(stream), isFresh: isFirst }),
      async (needed) => this.#handler.lookUp?.(needed, this.#deps.findRows),
    ).catch(givenUp);
    return this.answer(outcome);
  }

  step(stream: string): StepRequest<CompanyState, ImportOutcome> {
    return {
      stream,
      context: this.#request.context,
      fold: this.#deps.fold,
      store: this.#deps.states,
      // A state from memory may be older than the rows that a rename is looked up in.
      fromMemory:
        this.#request.keepsRenames !== true && this.#request.body.length <= importLimits.decidedFromMemory,
      isFresh: true,
      isTooLate: () => (this.#deps.timer ?? monotonicMs)() > (this.#request.answerBy ?? Infinity),
      decide: (state) => this.#decide(state),
      // The event at index 1 is the run's end.
      idOf: (index) => eventId(this.#request.context.operationId, stream, index === 0 ? index : 'held/1'),
    };
  }

  answer(outcome: Outcome<CompanyState, ImportOutcome>): Promise<ImportOutcome> {
    switch (outcome.kind) {
      case 'appended':
        return this.#answerOf(outcome.events);
      case 'refused':
        return this.#recorded(outcome.rejection);
      case 'nothing':
        throw new Error('an import comes to an event or to a refusal');
      default:
        return outcome satisfies never;
    }
  }

  #decide(state: CompanyState): AcceptDecision {
    const acceptance = acceptImport(this.#command(), state);
    if (acceptance.kind !== 'accepted-if-valid') return turnedAway(acceptance, this.#handler);
    const checked = this.#handler.check(state, acceptance.atOnceBelow);
    if (checked.kind === 'refused') return refusedFor(checked.rejection.errors);
    if (isQueued(acceptance, checked.elements)) {
      return this.#queued(acceptance, checked.elements);
    }
    this.#tries += 1;
    const decision = this.#handler.decide(state);
    if (decision.kind === 'refused') return refusedFor(decision.rejection.errors);
    const unlike = this.#unlikePreview(decision, acceptance.preview, state);
    if (unlike) return unlike;
    return decision.kind === 'held' ? this.#queued(acceptance, checked.elements, decision.held) : decision;
  }

  #unlikePreview(
    decision: DecidedImport | HeldImport,
    preview: ImportPreview | null,
    state: CompanyState,
  ): AcceptDecision | undefined {
    if (preview === null || preview.outcome === outcomeOf(decision)) return undefined;
    const current = state.revisions[this.#request.kind];
    return refused({ kind: 'precondition-failed', current, preview: 'outcome' });
  }

  #command() {
    const { prefersAsync, body, companyId, kind, context, ifPreview } = this.#request;
    const { appends, bytes } = importLimits.queuedAfterLosses;
    const hasLost = this.#tries >= appends && this.#tries * body.length >= bytes;
    const { queueBodyBytes = defaultQueueBodyBytes } = this.#deps;
    const now = Date.parse(context.receivedAt);
    const preview =
      ifPreview === undefined
        ? null
        : readPreviewId(ifPreview, { companyId, kind, now }, this.#deps.digester);
    return { ...this.#request, prefersAsync: prefersAsync || hasLost, queueBodyBytes, preview };
  }

  /** An import is queued only once its body is in the log. `held`: it waits there for somebody to approve it. */
  #queued(
    { hasQueueRoom, ...acceptance }: AcceptedIfValid,
    elements: number,
    held?: HeldImport['held'],
  ): AcceptDecision {
    if (!hasQueueRoom) return refused({ kind: 'queue-full' });
    const { ifMatch, preview } = acceptance;
    const { kind, method, context, body, keepsRenames = false } = this.#request;
    const { operationId } = context;
    const payload = payloadReference(operationId, body);
    const call = { operationId, kind, method, payload };
    const data: ImportQueued = { ...call, elements, ifMatch, preview, keepsRenames, retryOf: null };
    const hold: NewEvent[] = held ? [{ name: 'ImportHeld', data: { operationId, kind, ...held } }] : [];
    return {
      kind: 'events',
      events: [{ name: 'ImportQueued', data }, ...hold],
      beforeAppend: (isLate) => this.#writePayload(payload.stream, isLate),
      writtenSince: this.#request.payload?.since,
      removeUnused: () => this.#deletePayload(payload.stream),
    };
  }

  /** Writes once, and again where the sweeper may have deleted the payload. */
  async #writePayload(stream: string, isLate: boolean): Promise<void> {
    const { context, body, payload } = this.#request;
    const isFirst = !this.#hasWritten;
    if (!isFirst && !isLate) return;
    this.#hasWritten = true;
    const isFresh = isFirst && payload === undefined;
    if (isFresh || isLate) await writePayload(this.#deps, { stream, context, isFresh }, body);
    const { list } = this.#handler;
    if (list) await writeProof(this.#deps, { context, isFresh: isFirst, body, list });
  }

  async #deletePayload(stream: string): Promise<void> {
    const { body, context } = this.#request;
    await this.#deps.log.deleteStream(stream);
    if (body.length > importLimits.provenBody)
      await this.#deps.log.deleteStream(proofStream(context.operationId));
  }

  /** The operation's first event is the answer, whatever a worker has made of the queued import since. */
  async #answerOf(events: readonly LoadedEvent[]): Promise<ImportOutcome> {
    const [event] = events;
    if (!event) throw new Error('an operation without an event was appended');
    const { operationId } = this.#request.context;
    const details = {
      operationId,
      ignored: this.#handler.ignored,
      replayed: false,
      written: writtenOf(events),
    };
    if (event.name === 'ImportQueued') return { kind: 'queued', ...details };
    const terminal = await readTerminalEvent(event);
    if (terminal.kind === 'failed') throw new Error('a call that was not queued has failed');
    return { kind: 'done', counts: terminal.counts, ...details };
  }

  /** Only a refusal leaves an ApiCalls row. */
  async #recorded(outcome: ImportOutcome): Promise<ImportOutcome> {
    if (outcome.kind !== 'refused') return outcome;
    const { context, method, body } = this.#request;
    const call = { context, method, bodySha256: body.sha256, status: 400 } as const;
    return { ...outcome, written: await recordRefusal(this.#deps, call, outcome.errors) };
  }
}

function givenUp(error: unknown): never {
  throw error instanceof DecidedTooLate ? new ImportsBusy('the import was not decided in time') : error;
}

function turnedAway(
  acceptance: Exclude<Acceptance, { kind: 'accepted-if-valid' }>,
  handler: ImportHandler,
): AcceptDecision {
  switch (acceptance.kind) {
    case 'replayed':
      return refused(replayOf(acceptance.key, handler));
    case 'key-reused':
    case 'keys-full':
    case 'precondition-failed':
    case 'preview-unusable':
    case 'queue-full':
      return refused(acceptance);
    case 'integration-not-allowed':
      return refusedFor(['Company integration is not allowed']);
    default:
      return acceptance satisfies never;
  }
}

type KnownKey = Extract<Acceptance, { kind: 'replayed' }>['key'];

/** The body is that of the first call, so its ignored fields are the same. */
function replayOf({ operationId, answer }: KnownKey, { ignored }: ImportHandler): ImportOutcome {
  const details = { operationId, ignored, replayed: true, written: undefined };
  if (answer.status === 202) return { kind: 'queued', ...details };
  const { inserted, updated, removed } = answer;
  return { kind: 'done', counts: { inserted, updated, removed }, ...details };
}
