import type { CallContext, ImportKind } from '@rollcall/contracts';
import {
  type CompanyState,
  holdEnds,
  isHeld,
  numberWithId,
  previewExpiry,
  previewHour,
  previewIdOf,
  readPreviewId,
  unmetCondition,
} from '@rollcall/domain';
import { companyFold, stateToShare, type SharedState } from '../companies/company-state-cache.js';
import { decideTogether } from '../event-store/decide-together.js';
import { type LoadedState, loadState } from '../event-store/load-state.js';
import { importLimits } from '../ports/import-limits.js';
import { LogCorrupt } from '../ports/event-log.js';
import { isOutage } from '../ports/problems.js';
import {
  RunStopped,
  type FoundEmployee,
  type ImportOutcome,
  type ImportRequest,
  type RunOptions,
  type RunResult,
} from '../ports/imports.js';
import { AcceptImport, type StoredRequest } from './accept-import.js';
import { PayloadWriter } from './payloads.js';
import type { ImportEngineDeps, ImportEngineOptions, HandlerDeps } from './import-deps.js';
import { attemptProblem, RunImport, type RunImportDeps } from './run-import.js';
import { bodyInMemory } from './stored-body.js';
import type { ImportHandler, ImportCall } from './import-handler.js';
import { storeRows } from './preview-rows.js';
import { EmployeeImport, newIgnoredFields } from './employee-import.js';
import { ManagerImport } from './manager-import.js';

const streamOf = (companyId: number): string => `company-${companyId}`;

export class ImportEngine {
  readonly #deps: RunImportDeps;

  constructor(options: ImportEngineOptions) {
    const ignoredFields = newIgnoredFields();
    this.#deps = {
      ...options,
      fold: companyFold(options.digester),
      ignoredFields,
      handlerOf: (kind, call) => importHandlers[kind](call, { ...options, ignoredFields }),
    };
  }

  accept(request: ImportRequest): Promise<ImportOutcome> {
    return this.acceptStored({ ...request, body: bodyInMemory(request.body, request.bodySha256) });
  }

  /** The body must stay readable until the answer. */
  acceptStored(request: StoredRequest): Promise<ImportOutcome> {
    const handler = this.#deps.handlerOf(request.kind, request);
    if (request.dryRun)
      return this.#load(request.companyId).then(({ state }) =>
        rehearseImport(this.#deps, request, handler, state),
      );
    return new AcceptImport(this.#deps, request, handler).run(streamOf(request.companyId));
  }

  /** Decides calls of one company with one append. Undefined: nothing was done, and the call has to be accepted alone. */
  async acceptTogether(
    requests: readonly ImportRequest[],
  ): Promise<readonly (Promise<ImportOutcome> | undefined)[]> {
    const calls = requests.map((request) => {
      const stored = { ...request, body: bodyInMemory(request.body, request.bodySha256) };
      return new AcceptImport(this.#deps, stored, this.#deps.handlerOf(request.kind, stored));
    });
    const steps = calls.map((call, index) => call.step(streamOf(requests[index]?.companyId ?? 0)));
    const outcomes = await decideTogether(this.#deps, steps);
    return calls.map((call, index) => {
      const outcome = outcomes[index];
      return outcome && call.answer(outcome);
    });
  }

  /** The cached state for another thread; undefined where it is missing or too large. */
  stateToShare(companyId: number): SharedState | undefined {
    return stateToShare(this.#deps.states.get(streamOf(companyId)));
  }

  payloadWriter(context: CallContext): PayloadWriter {
    return new PayloadWriter(this.#deps, context);
  }

  async runOldest(companyId: number, { alone = false }: RunOptions = {}): Promise<RunResult> {
    const { oldest, idle } = await this.#oldest(companyId);
    return oldest ? this.#run(new RunImport(this.#deps, companyId, oldest), companyId, alone) : idle;
  }

  /** Does nothing about a large import: it would hold up those beside it. */
  async runOldestIfSmall(companyId: number): Promise<RunResult | 'is-large'> {
    const { oldest, idle } = await this.#oldest(companyId);
    if (!oldest) return idle;
    if (oldest.payload.bytes >= importLimits.ownThreadBody) return 'is-large';
    return this.#run(new RunImport(this.#deps, companyId, oldest), companyId, false);
  }

  async #run(running: RunImport, companyId: number, alone: boolean): Promise<RunResult> {
    try {
      return await running.run(streamOf(companyId), alone);
    } catch (error) {
      if (isOutage(error) || error instanceof RunStopped) throw error;
      // Throws where the company's own stream is unreadable: that is no fault of the import.
      if (error instanceof LogCorrupt) await this.#load(companyId);
      return running.fail(streamOf(companyId), attemptProblem(error));
    }
  }

  /** Counts an attempt that ended with its thread; none of another import that has become the oldest meanwhile. */
  async attemptFailed(companyId: number, problem: string): Promise<RunResult> {
    const { oldest, idle } = await this.#oldest(companyId);
    if (!oldest) return idle;
    return new RunImport(this.#deps, companyId, oldest).fail(streamOf(companyId), problem, true);
  }

  async #oldest(companyId: number) {
    const { state, head } = await this.#load(companyId);
    const unknown = state.settings.status === 'unconfigured';
    const idle = { kind: 'idle', companyId, upTo: head.revision, unknown } as const;
    const [oldest] = state.pending;
    const waits = oldest?.hold && isHeld(oldest) && this.#deps.clock.now() < holdEnds(oldest.hold);
    return { oldest: waits ? undefined : oldest, idle };
  }

  async findEmployee(companyId: number, employeeId: string): Promise<FoundEmployee> {
    const { state } = await this.#load(companyId);
    const number = numberWithId(state.employees, this.#deps.digester, employeeId);
    return { number, revision: state.revisions.employees };
  }

  #load(companyId: number): Promise<LoadedState<CompanyState>> {
    const { log, states, fold } = this.#deps;
    return loadState({ log, stream: streamOf(companyId), fold, store: states });
  }
}

/** What the call would do (docs/contract, "Dry run"). Writes nothing but the rows of `details`, into a temporary file. */
async function rehearseImport(
  deps: ImportEngineDeps,
  request: StoredRequest,
  handler: ImportHandler,
  state: CompanyState,
): Promise<ImportOutcome> {
  const { kind, companyId, body, context, ifMatch, ifPreview } = request;
  const call = { companyId, kind, now: Date.parse(context.receivedAt) };
  const preview = ifPreview === undefined ? null : readPreviewId(ifPreview, call, deps.digester);
  const revision = state.revisions[kind];
  const unmet = unmetCondition({ ifMatch, preview, body }, revision);
  if (unmet) return unmet;
  // Once reached it stays so.
  let toReach = revision;
  const rehearsal = await handler.rehearse(state, (of, id, numbers) => {
    const found = deps.findRows(of, id, numbers, toReach);
    toReach = null;
    return found;
  });
  if (rehearsal.kind === 'refused')
    return { kind: 'refused', errors: rehearsal.rejection.errors, written: undefined };
  const hour = previewHour(call.now);
  const [bodySha256, { outcome }] = [body.sha256, rehearsal];
  const result = {
    ...rehearsal.result,
    PreviewId: previewIdOf({ companyId, kind, bodySha256, revision, outcome, hour }, deps.digester),
    Revision: revision,
    ExpiresOn: new Date(previewExpiry(hour)).toISOString(),
  };
  const { details = 0 } = request;
  const rows = details > 0 ? await storeRows(deps.temporaryFolder, rehearsal.rows(details)) : undefined;
  return { kind: 'dry-run', result, rows, isChange: rehearsal.isChange };
}

const importHandlers: Record<ImportKind, (call: ImportCall, deps: HandlerDeps) => ImportHandler> = {
  employees: (call, deps) => new EmployeeImport(call, deps),
  managers: (call, { digester }) => new ManagerImport(call, digester),
};
