import type { ImportQueued } from '@rollcall/contracts';
import { type Acceptance, acceptImport, type CompanyState } from '@rollcall/domain';
import { decideAndAppend, type Decision, type Outcome } from '../event-store/decide-and-append.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { ImportEngineDeps } from './import-deps.js';
import type { ImportDecision, OpenImport, Refusal } from './import-handler.js';
import { payloadReference, writePayload } from './payloads.js';
import type { ImportOutcome, ImportRequest } from '../ports/imports.js';
import { recordRefusal } from './refusals.js';
import { endingOf } from './terminal-events.js';

/** Why no event of this call comes to the company's stream. */
type Stop =
  | Exclude<Acceptance<Refusal>, { kind: 'refused' | 'queued' | 'at-once' }>
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const stop = (rejection: Stop): Decision<Stop> => ({ kind: 'refused', rejection });

/** One call on its way to being carried out at once, queued, or turned away. */
export class AcceptedCall {
  readonly #deps: ImportEngineDeps;
  readonly #request: ImportRequest;
  readonly #import: OpenImport;
  #decided: ImportDecision | undefined;
  #hasPayload = false;

  constructor(deps: ImportEngineDeps, request: ImportRequest, open: OpenImport) {
    this.#deps = deps;
    this.#request = request;
    this.#import = open;
  }

  async run(stream: string): Promise<ImportOutcome> {
    const { log, states } = this.#deps;
    const outcome = await decideAndAppend(this.#deps, {
      stream,
      context: this.#request.context,
      fold: this.#deps.fold,
      store: states,
      decide: (state) => this.#decide(state),
      beforeAppend: ([event]) => (event?.name === 'ImportQueued' ? this.#writePayload() : Promise.resolve()),
      afterOwn: (state, event) =>
        this.#decided?.kind === 'decided' ? this.#decided.after(state, event) : undefined,
    });
    if (this.#hasPayload && !isQueued(outcome)) await log.deleteStream(this.#payload.stream);
    return this.#answer(outcome);
  }

  get #payload(): ImportQueued['payload'] {
    const { body, bodySha256, context } = this.#request;
    return payloadReference(context.operationId, body, bodySha256);
  }

  /** An import is queued only once its body is in the log. */
  async #writePayload(): Promise<void> {
    const { context, body } = this.#request;
    this.#hasPayload = true;
    await writePayload(this.#deps, context, this.#payload, body);
  }

  #decide(state: CompanyState): Decision<Stop> {
    this.#decided = undefined;
    const { kind, context, prefersAsync, ifMatch } = this.#request;
    const read = (atOnceBelow: number) => this.#import.read(state, atOnceBelow);
    const acceptance = acceptImport({ kind, context, prefersAsync, ifMatch, read }, state);
    switch (acceptance.kind) {
      case 'replayed':
      case 'key-reused':
      case 'precondition-failed':
        return stop(acceptance);
      case 'refused':
        return stop({ kind: 'refused', refusal: refusalOf(acceptance.rejection) });
      case 'queued':
        return { kind: 'events', events: [{ name: 'ImportQueued', data: this.#queued(acceptance) }] };
      case 'at-once':
        return this.#decideAtOnce(state);
      default:
        return acceptance satisfies never;
    }
  }

  #queued({ elements, ifMatch }: { elements: number; ifMatch: number | null }): ImportQueued {
    const { kind, method, context } = this.#request;
    const { operationId } = context;
    return { operationId, kind, method, payload: this.#payload, elements, ifMatch, retryOf: null };
  }

  #decideAtOnce(state: CompanyState): Decision<Stop> {
    const decided = this.#import.decide(state);
    if (decided.kind === 'refused') return stop(decided);
    this.#decided = decided;
    return { kind: 'events', events: [decided.event] };
  }

  async #answer(outcome: Outcome<CompanyState, Stop>): Promise<ImportOutcome> {
    switch (outcome.kind) {
      case 'appended':
        return this.#answerOf(outcome.events[0], outcome.position);
      case 'refused':
        return this.#stopped(outcome.rejection);
      case 'nothing':
        throw new Error('an import comes to an event or to a refusal');
      default:
        return outcome satisfies never;
    }
  }

  /** The first event of the operation is the answer: what a worker made of a queued import meanwhile is not. */
  async #answerOf(event: LoadedEvent | undefined, position: bigint): Promise<ImportOutcome> {
    if (!event) throw new Error('an operation without an event was appended');
    const { operationId } = this.#request.context;
    if (event.name === 'ImportQueued') return { kind: 'queued', operationId, replayed: false, position };
    const ending = await endingOf(event);
    if (ending.kind === 'failed') throw new Error('a call that was not queued has failed');
    return { kind: 'done', operationId, counts: ending.counts, replayed: false, position };
  }

  async #stopped(rejection: Stop): Promise<ImportOutcome> {
    switch (rejection.kind) {
      case 'replayed':
        return replay(rejection);
      case 'key-reused':
      case 'precondition-failed':
        return rejection;
      case 'refused': {
        const { errors } = rejection.refusal;
        const position = await recordRefusal(this.#deps, { ...this.#request, status: 400 }, errors);
        return { kind: 'refused', errors, position };
      }
      default:
        return rejection satisfies never;
    }
  }
}

const isQueued = (outcome: Outcome<CompanyState, Stop>): boolean =>
  outcome.kind === 'appended' && outcome.events[0]?.name === 'ImportQueued';

const refusalOf = (rejection: Refusal | { readonly reason: 'integration-not-allowed' }): Refusal =>
  'errors' in rejection ? rejection : integrationNotAllowed;

const notAllowed = 'Company integration is not allowed';
const integrationNotAllowed: Refusal = { reason: notAllowed, errors: [notAllowed] };

function replay({ key }: Extract<Stop, { kind: 'replayed' }>): ImportOutcome {
  const { operationId, answer } = key;
  if (answer.status === 202) return { kind: 'queued', operationId, replayed: true, position: undefined };
  const { inserted, updated, removed } = answer;
  const counts = { inserted, updated, removed };
  return { kind: 'done', operationId, counts, replayed: true, position: undefined };
}
