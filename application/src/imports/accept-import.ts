import type { ImportQueued } from '@rollcall/contracts';
import { type Acceptance, acceptImport, type CompanyState, isQueued } from '@rollcall/domain';
import {
  type Decision,
  decideStep,
  type Outcome,
  type PreparedEvents,
  type StepRequest,
} from '../event-store/decide-and-append.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { WrittenPayload } from './arriving-payload.js';
import type { ImportEngineDeps } from './import-deps.js';
import type { ImportCall, ImportHandler } from './import-handler.js';
import { proofStream, provenFrom, writeProof } from './list-proofs.js';
import { payloadReference, writePayload } from './payloads.js';
import type { BareImportRequest, ImportOutcome } from '../ports/imports.js';
import { recordRefusal } from './refusals.js';
import { writtenOf } from '../read-model-wait.js';
import { readTerminalEvent } from './terminal-events.js';

type AcceptDecision = Decision<ImportOutcome> | PreparedEvents<CompanyState>;

const refused = (rejection: ImportOutcome): AcceptDecision => ({ kind: 'refused', rejection });
const refusedFor = (errors: readonly string[]): AcceptDecision =>
  refused({ kind: 'refused', errors, written: undefined });

/** Bodies up to this size are decided on what is in memory: where that is stale they are decided once more. */
const decidedTwice = 256 * 1024;

/** One call, its body received whole. */
export interface StoredRequest extends BareImportRequest, Pick<ImportCall, 'body' | 'employees'> {
  /** Where its payload was written while it arrived: then it is sure to be queued, or turned away. */
  readonly payload?: WrittenPayload | undefined;
}

/** One call on its way to being carried out at once, queued, or turned away. */
export class AcceptImport {
  readonly #deps: ImportEngineDeps;
  readonly #request: StoredRequest;
  readonly #handler: ImportHandler;
  #hasWritten = false;

  constructor(deps: ImportEngineDeps, request: StoredRequest, handler: ImportHandler) {
    this.#deps = deps;
    this.#request = request;
    this.#handler = handler;
  }

  async run(stream: string): Promise<ImportOutcome> {
    return this.answer(await decideStep(this.#deps, this.step(stream)));
  }

  /** The step on the company's stream. */
  step(stream: string): StepRequest<CompanyState, ImportOutcome> {
    return {
      stream,
      context: this.#request.context,
      fold: this.#deps.fold,
      store: this.#deps.states,
      fromMemory: this.#request.body.length <= decidedTwice,
      isFresh: true,
      decide: (state) => this.#decide(state),
    };
  }

  /** What to say of what the step came to. */
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
    const acceptance = acceptImport(this.#request, state);
    if (acceptance.kind !== 'accepted-if-valid') return turnedAway(acceptance);
    const checked = this.#handler.check(state, acceptance.atOnceBelow);
    if (checked.kind === 'refused') return refusedFor(checked.rejection.errors);
    if (isQueued(acceptance, checked.elements)) {
      const { hasPlace, ifMatch } = acceptance;
      return hasPlace ? this.#queued(checked.elements, ifMatch) : refused({ kind: 'queue-full' });
    }
    const decision = this.#handler.decide(state);
    return decision.kind === 'refused' ? refusedFor(decision.rejection.errors) : decision;
  }

  /** An import is queued only once its body is in the log. */
  #queued(elements: number, ifMatch: number | null): PreparedEvents<CompanyState> {
    const { kind, method, context, body } = this.#request;
    const { operationId } = context;
    const payload = payloadReference(operationId, body);
    const data: ImportQueued = { operationId, kind, method, payload, elements, ifMatch, retryOf: null };
    return {
      kind: 'events',
      events: [{ name: 'ImportQueued', data }],
      beforeAppend: (isLate) => this.#writePayload(payload.stream, isLate),
      writtenSince: this.#request.payload?.since,
      removeUnused: () => this.#deletePayload(payload.stream),
    };
  }

  /** Once, and again where it may have been swept meanwhile. */
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
    if (body.length > provenFrom) await this.#deps.log.deleteStream(proofStream(context.operationId));
  }

  /** The first event of the operation is the answer: what a worker made of a queued import meanwhile is not. */
  async #answerOf(events: readonly LoadedEvent[]): Promise<ImportOutcome> {
    const [event] = events;
    if (!event) throw new Error('an operation without an event was appended');
    const { operationId } = this.#request.context;
    const written = writtenOf(events);
    if (event.name === 'ImportQueued') return { kind: 'queued', operationId, replayed: false, written };
    const terminal = await readTerminalEvent(event);
    if (terminal.kind === 'failed') throw new Error('a call that was not queued has failed');
    return { kind: 'done', operationId, counts: terminal.counts, replayed: false, written };
  }

  /** A refusal leaves a row; what else turns a call away leaves nothing. */
  async #recorded(outcome: ImportOutcome): Promise<ImportOutcome> {
    if (outcome.kind !== 'refused') return outcome;
    const { context, method, body } = this.#request;
    const call = { context, method, bodySha256: body.sha256, status: 400 } as const;
    return { ...outcome, written: await recordRefusal(this.#deps, call, outcome.errors) };
  }
}

function turnedAway(acceptance: Exclude<Acceptance, { kind: 'accepted-if-valid' }>): AcceptDecision {
  switch (acceptance.kind) {
    case 'replayed':
      return refused(replayOf(acceptance.key));
    case 'key-reused':
    case 'precondition-failed':
    case 'queue-full':
      return refused(acceptance);
    case 'integration-not-allowed':
      return refusedFor(['Company integration is not allowed']);
    default:
      return acceptance satisfies never;
  }
}

type KnownKey = Extract<Acceptance, { kind: 'replayed' }>['key'];

function replayOf({ operationId, answer }: KnownKey): ImportOutcome {
  if (answer.status === 202) return { kind: 'queued', operationId, replayed: true, written: undefined };
  const { inserted, updated, removed } = answer;
  const counts = { inserted, updated, removed };
  return { kind: 'done', operationId, counts, replayed: true, written: undefined };
}
