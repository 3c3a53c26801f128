import type { CallContext, EventName, ImportKind } from '@rollcall/contracts';
import {
  type CompanyState,
  type Hold,
  isHeld,
  type PendingImport,
  pendingOf,
  recordedErrors,
  recordedReason,
} from '@rollcall/domain';
import { decideStep, type Outcome, type PreparedEvents } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/linked-events.js';
import type { ImportEngineDeps } from './import-deps.js';
import {
  outcomeOf,
  type HeldImport,
  type ImportCall,
  type ImportHandler,
  type Refusal,
  withLookUps,
} from './import-handler.js';
import { OperationLog, type Interruption, type RunningAttempt, watchRun } from './operation-log.js';
import { expiredBy, readTerminalEvent } from './terminal-events.js';
import { EmailsNeeded } from './kept-renames.js';
import { readProof } from './list-proofs.js';
import { openPayload } from './payloads.js';
import { importLimits } from '../ports/import-limits.js';
import { type RunResult, RunStopped } from '../ports/imports.js';
import { framesOf, isOutage, problemOf } from '../ports/problems.js';
import type { StoredBody } from './stored-body.js';

const { attempts: mostAttempts, lostStarts: mostLostStarts, suspectStarts } = importLimits;

/** Events that change nothing that a queued import's decision reads. */
const untouched: ReadonlySet<EventName> = new Set([
  'ImportQueued',
  'InvitationsHeld',
  'InvitationsReleased',
  'InvitationTemplateSet',
]);

interface RunDecision extends PreparedEvents<CompanyState> {
  /** Of the event's id; by default that of the end. */
  readonly step?: string;
}

export interface RunImportDeps extends ImportEngineDeps {
  readonly handlerOf: (kind: ImportKind, call: ImportCall) => ImportHandler;
}

export class RunImport {
  readonly #deps: RunImportDeps;
  readonly #companyId: number;
  readonly #pending: PendingImport;
  readonly #operation: OperationLog;

  constructor(deps: RunImportDeps, companyId: number, pending: PendingImport) {
    this.#deps = deps;
    this.#companyId = companyId;
    this.#pending = pending;
    this.#operation = new OperationLog(deps, pending);
  }

  /** One attempt. An outage of the log or the read models throws, and counts as none. */
  async run(stream: string, alone: boolean): Promise<RunResult> {
    if (isHeld(this.#pending)) return this.#expire(stream);
    const { failed, lost } = await this.#operation.attempts();
    const last = failed.at(-1);
    if (last && failed.length >= mostAttempts) return this.#giveUp(stream, afterAttempts(last.problem));
    if (lost >= mostLostStarts) return this.#giveUp(stream, afterStarts(lost));
    if (lost >= suspectStarts && !alone) return this.#mustRunAlone(lost);
    return this.#attempt(stream, await this.#operation.begin(failed.length + 1));
  }

  async #attempt(stream: string, attempt: RunningAttempt): Promise<RunResult> {
    const endWatch = watchRun(this.#deps, attempt);
    try {
      const result = await this.#carryOut(stream, attempt);
      // Starts without an end count against the import. Older readers refuse a further cause.
      if (result.kind === 'ended' && result.outcome === 'held') await attempt.interrupted('stop');
      return result;
    } catch (error) {
      const cause = interruptionBy(error);
      if (cause !== undefined) await attempt.interrupted(cause);
      throw error;
    } finally {
      endWatch();
      await attempt.settled();
    }
  }

  #mustRunAlone(starts: number): RunResult {
    const { operationId, kind: importKind } = this.#pending;
    return { kind: 'must-run-alone', companyId: this.#companyId, operationId, importKind, starts };
  }

  /** Counts a failed attempt, or only a started one. The last of `importLimits.attempts` ends the import. */
  async fail(stream: string, problem: string, onlyStarted = false): Promise<RunResult> {
    const before = await this.#operation.attempts();
    if (before.isDamaged) return this.#giveUp(stream, afterUncounted(problem));
    const counts = before.isStarted || !onlyStarted;
    const failed = counts ? await this.#operation.failed(before.failed.length + 1, problem) : before.failed;
    if (failed.length >= mostAttempts) return this.#giveUp(stream, afterAttempts(problem));
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

  async #carryOut(stream: string, attempt: RunningAttempt): Promise<RunResult> {
    const { kind, context, payload, keepsRenames } = this.#pending;
    const report: RunningAttempt['progressed'] = (stage, percent) => {
      if (payload.bytes >= importLimits.progressBody) attempt.progressed(stage, percent);
    };
    report('reading', 0);
    const body = await openPayload(this.#deps, payload);
    try {
      const proved = await this.#proved(body);
      report('deciding', 25);
      const call = {
        companyId: this.#companyId,
        context,
        body,
        keepsRenames,
        decidedAt: this.#deps.clock.now(),
        ...proved,
      };
      const handler = this.#deps.handlerOf(kind, call);
      const end = (): Promise<RunResult> =>
        this.#end(stream, (state) => {
          const decision = this.#decide(handler, state);
          if (decision.after) report('writing', 60);
          return { ...decision, beforeAppend: () => Promise.resolve(report('writing', 90)) };
        });
      return await withLookUps(EmailsNeeded, end, async (needed) =>
        handler.lookUp?.(needed, this.#deps.findRows),
      );
    } finally {
      body.close();
    }
  }

  async #proved(body: StoredBody): Promise<Pick<ImportCall, 'employees' | 'unproven'>> {
    if (this.#pending.kind !== 'employees' || body.length <= importLimits.provenBody) return {};
    const found = await readProof(this.#deps, this.#pending, (start, end) => body.read(start, end));
    return typeof found === 'string' ? { unproven: found } : { employees: { status: 'valid', list: found } };
  }

  #decide(handler: ImportHandler, state: CompanyState): RunDecision {
    const { kind, ifMatch, preview } = this.#pending;
    const current = state.revisions[kind];
    const unmet = unmetCondition({ ifMatch, preview }, current);
    if (unmet) return this.#failure(412, unmet);
    const decision = handler.decide(state);
    if (decision.kind === 'refused') return this.#failure(400, decision.rejection);
    if (preview !== null && preview.outcome !== outcomeOf(decision))
      return this.#failure(412, unlikePreview('it comes to another change now'));
    return decision.kind === 'held' ? this.#held(decision) : decision;
  }

  #held({ held }: HeldImport): RunDecision {
    const { operationId, kind, hold } = this.#pending;
    const data = { operationId, kind, ...held };
    const step = `held/${(hold?.times ?? 0) + 1}`;
    return { kind: 'events', events: [{ name: 'ImportHeld', data }], step };
  }

  #failure(status: number, { reason, errors }: Refusal): PreparedEvents<CompanyState> {
    const { operationId, kind } = this.#pending;
    const details = { reason: recordedReason(reason), validationErrors: recordedErrors(errors) };
    const data = { operationId, kind, status, ...details };
    return { kind: 'events', events: [{ name: 'ImportFailed', data }] };
  }

  #expire(stream: string): Promise<RunResult> {
    const { operationId, kind } = this.#pending;
    return this.#end(
      stream,
      () => ({ kind: 'events', events: [{ name: 'ImportCancelled', data: { operationId, kind } }] }),
      expiredBy,
    );
  }

  #giveUp(stream: string, why: string): Promise<RunResult> {
    const reason = `gave up after ${why}`;
    return this.#end(stream, () => this.#failure(500, { reason, errors: [] }));
  }

  /** Appends the terminal event, or that it is held, unless the import has ended meanwhile. Its `ImportQueued` has index 0 on the stream. */
  async #end(
    stream: string,
    decide: (state: CompanyState) => RunDecision,
    by: Partial<CallContext> = {},
  ): Promise<RunResult> {
    const { operationId } = this.#pending;
    const context = { ...this.#pending.context, ...by };
    let step = '1';
    const outcome = await decideStep<CompanyState, never>(this.#deps, {
      stream,
      context,
      fold: { ...this.#deps.fold, touches: ({ name }) => !untouched.has(name) },
      store: this.#deps.states,
      // The state was read when the run began.
      fromMemory: true,
      idOf: () => eventId(operationId, stream, step),
      decide: (state) => {
        const now = pendingOf(state, operationId);
        // Somebody may have decided meanwhile.
        if (!now || !isSameHold(now.hold, this.#pending.hold)) return { kind: 'nothing' };
        const decision = decide(state);
        step = decision.step ?? '1';
        return decision;
      },
    });
    return this.#result(outcome);
  }

  async #result(outcome: Outcome<CompanyState, never>): Promise<RunResult> {
    const { state, head } = outcome.loaded;
    const ended = {
      ...(state.pending.length === 0 && { idleUpTo: head.revision }),
      kind: 'ended',
      companyId: this.#companyId,
      operationId: this.#pending.operationId,
      importKind: this.#pending.kind,
    } as const;
    const event = outcome.kind === 'appended' && !outcome.repeated ? outcome.events[0] : undefined;
    if (!event) return { ...ended, outcome: 'elsewhere' };
    if (event.name === 'ImportHeld') return { ...ended, outcome: 'held' };
    if (event.name === 'ImportCancelled') return { ...ended, outcome: 'failed', reason: 'nobody decided' };
    const terminal = await readTerminalEvent(event);
    return terminal.kind === 'failed'
      ? { ...ended, outcome: 'failed', reason: terminal.failure.reason }
      : { ...ended, outcome: 'done' };
  }
}

/** Held anew is another hold, and an approved one too. */
const isSameHold = (one: Hold | null, other: Hold | null): boolean =>
  one?.times === other?.times && one?.isApproved === other?.isApproved;

function interruptionBy(error: unknown): Interruption | undefined {
  if (error instanceof RunStopped) return 'stop';
  return isOutage(error) ? 'outage' : undefined;
}

const afterAttempts = (problem: string): string => `${mostAttempts} attempts: ${problem}`;

const afterUncounted = (problem: string): string =>
  `an attempt, since attempts cannot be counted on its operation's damaged stream: ${problem}`;

const afterStarts = (starts: number): string =>
  `${starts} starts: each time the worker's process ended before the import did, as it does when it is killed for want of ` +
  'memory. Give the worker more memory, or remove what else ends it; then send the import again';

function unmetCondition(
  { ifMatch, preview }: Pick<PendingImport, 'ifMatch' | 'preview'>,
  current: number | null,
): Refusal | undefined {
  if (ifMatch !== null && ifMatch !== current) return preconditionFailed(ifMatch, current);
  return preview === null || preview.revision === current
    ? undefined
    : unlikePreview(changedSince(preview.revision, current));
}

function preconditionFailed(ifMatch: number, current: number | null): Refusal {
  const now = current === null ? 'there is none yet' : `it is at ${current} now`;
  const reason = `If-Match names revision ${ifMatch} of the set, and ${now}`;
  return { reason, errors: [reason] };
}

const changedSince = (shown: number | null, current: number | null): string =>
  `the set was at revision ${shown ?? 'none'} when it was made, and is at ${current ?? 'none'} now`;

function unlikePreview(why: string): Refusal {
  const reason = `The preview that If-Preview names no longer holds: ${why}`;
  return { reason, errors: [reason] };
}

/** The error's loggable text; where that is only its kind, also where it was thrown. */
export function attemptProblem(error: unknown): string {
  const problem = problemOf(error);
  const [frame] = framesOf(error);
  const isKindOnly = error instanceof Error && problem === error.name;
  return recordedReason(isKindOnly && frame !== undefined ? `${problem} ${shortened(frame)}` : problem);
}

/** The last parts of the path: the rest would reveal where the installation is. */
const shortened = (frame: string): string =>
  `at ${frame.replace(/[()]/g, '').split('/').slice(-3).join('/').replace(/^at /, '')}`;
