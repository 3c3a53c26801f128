import type { EventName } from '@rollcall/contracts';
import { type CompanyState, type PendingImport, pendingOf } from '@rollcall/domain';
import { decideAndAppend, type Decision, type Outcome } from '../event-store/decide-and-append.js';
import type { NewEvent } from '../event-store/new-events.js';
import type { ImportEngineDeps } from './import-deps.js';
import { openImport } from './import-handlers.js';
import type { ImportDecision, OpenImport, Refusal } from './import-handler.js';
import { OperationLog } from './operation-log.js';
import { readPayload } from './payloads.js';
import type { RunResult } from '../ports/imports.js';
import { endingOf } from './terminal-events.js';

/** After so many attempts an import is given up (design: "Imports in order"). */
export const mostAttempts = 3;

/** Imports from this many bytes on tell how far they are. */
const largePayload = 4 * 1024 * 1024;

/** What a queued import is not decided by. */
const untouched: ReadonlySet<EventName> = new Set([
  'ImportQueued',
  'InvitationsHeld',
  'InvitationsReleased',
  'InvitationTemplateSet',
]);

/** The oldest import of a company, on its way to its terminal event. */
export class QueuedImport {
  readonly #deps: ImportEngineDeps;
  readonly #companyId: number;
  readonly #pending: PendingImport;
  readonly #operation: OperationLog;
  #decided: ImportDecision | undefined;

  constructor(deps: ImportEngineDeps, companyId: number, pending: PendingImport) {
    this.#deps = deps;
    this.#companyId = companyId;
    this.#pending = pending;
    this.#operation = new OperationLog(deps, pending);
  }

  /** One attempt. What the log or the read models cannot do now throws, and counts as none. */
  async run(stream: string): Promise<RunResult> {
    const failed = await this.#operation.failedAttempts();
    const last = failed.at(-1);
    if (last && failed.length >= mostAttempts) return this.#giveUp(stream, last.problem);
    this.#operation.started(failed.length + 1);
    try {
      return await this.#carryOut(stream);
    } finally {
      await this.#operation.settled();
    }
  }

  /** Counts an attempt that ended with this problem; the third one ends the import. */
  async fail(stream: string, problem: string): Promise<RunResult> {
    const before = await this.#operation.failedAttempts();
    const failed = await this.#operation.failed(before.length + 1, problem);
    if (failed.length >= mostAttempts) return this.#giveUp(stream, problem);
    const { operationId, kind: importKind } = this.#pending;
    return {
      kind: 'attempt-failed',
      companyId: this.#companyId,
      operationId,
      importKind,
      attempt: failed.length,
      problem,
    };
  }

  async #carryOut(stream: string): Promise<RunResult> {
    const { companyId, kind, context, payload } = { companyId: this.#companyId, ...this.#pending };
    this.#tell('reading', 0);
    const body = await readPayload(this.#deps.log, payload);
    this.#tell('deciding', 25);
    const call = { companyId, context, body, bodySha256: payload.sha256 };
    const open = openImport[kind](call, this.#deps.digester);
    try {
      return await this.#end(stream, (state) => this.#decide(open, state));
    } finally {
      this.#deps.discard?.(body);
    }
  }

  #tell(stage: 'reading' | 'deciding' | 'writing', percent: number): void {
    if (this.#pending.payload.bytes >= largePayload) this.#operation.progressed(stage, percent);
  }

  #decide(open: OpenImport, state: CompanyState): NewEvent {
    this.#decided = undefined;
    const { kind, ifMatch } = this.#pending;
    const current = state.revisions[kind];
    if (ifMatch !== null && ifMatch !== current)
      return this.#failure(412, preconditionFailed(ifMatch, current));
    const decided = open.decide(state);
    if (decided.kind === 'refused') return this.#failure(400, decided.refusal);
    this.#decided = decided;
    this.#tell('writing', 60);
    return decided.event;
  }

  #failure(status: number, { reason, errors }: Refusal): NewEvent {
    const { operationId, kind } = this.#pending;
    return {
      name: 'ImportFailed',
      data: { operationId, kind, status, reason, validationErrors: [...errors] },
    };
  }

  #giveUp(stream: string, problem: string): Promise<RunResult> {
    const reason = `gave up after ${mostAttempts} attempts: ${problem}`;
    return this.#end(stream, () => this.#failure(500, { reason, errors: [] }));
  }

  /** Appends the terminal event, unless the import has ended meanwhile. Its `ImportQueued` has index 0 on the stream. */
  async #end(stream: string, decide: (state: CompanyState) => NewEvent): Promise<RunResult> {
    const { operationId, context } = this.#pending;
    const outcome = await decideAndAppend<CompanyState, never>(this.#deps, {
      stream,
      context,
      fold: { ...this.#deps.fold, touches: ({ name }) => !untouched.has(name) },
      store: this.#deps.states,
      firstIndex: 1,
      isOutcome: ({ name }) => name !== 'ImportQueued',
      decide: (state): Decision<never> =>
        pendingOf(state, operationId) ? { kind: 'events', events: [decide(state)] } : { kind: 'nothing' },
      beforeAppend: () => Promise.resolve(this.#tell('writing', 90)),
      afterOwn: (state, event) =>
        this.#decided?.kind === 'decided' ? this.#decided.after(state, event) : undefined,
    });
    return this.#result(outcome);
  }

  async #result(outcome: Outcome<CompanyState, never>): Promise<RunResult> {
    const ended = {
      kind: 'ended',
      companyId: this.#companyId,
      operationId: this.#pending.operationId,
      importKind: this.#pending.kind,
    } as const;
    const event = outcome.kind === 'appended' && !outcome.repeated ? outcome.events[0] : undefined;
    if (!event) return { ...ended, outcome: 'elsewhere' };
    const ending = await endingOf(event);
    return ending.kind === 'failed'
      ? { ...ended, outcome: 'failed', reason: ending.failure.reason }
      : { ...ended, outcome: 'done' };
  }
}

function preconditionFailed(ifMatch: number, current: number | null): Refusal {
  const now = current === null ? 'there is none yet' : `it is at ${current} now`;
  const reason = `If-Match names revision ${ifMatch} of the set, and ${now}`;
  return { reason, errors: [reason] };
}
