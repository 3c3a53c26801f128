import {
  type Clock,
  companyFold,
  type CompanyStates,
  decideAndAppend,
  type EventLog,
  type Fold,
  foldStream,
  type LoadedEvent,
  type Outcome,
} from '@rollcall/adapters';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import {
  type CompanyState,
  type Digester,
  type EmployeeSetRejection,
  readSetSummary,
  rejectionTexts,
} from '@rollcall/domain';
import { dryRunResult, type FindEmployeeIds } from './dry-run.js';
import { OneImport } from './one-import.js';
import type { EmployeeImportOutcome, EmployeeImportRequest } from './outcome.js';
import { recordRefusal } from './refusals.js';

export interface ImportEngineDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly digester: Digester;
  readonly states: CompanyStates;
  readonly findIds: FindEmployeeIds;
  /** Where large events wait until they are written. */
  readonly spoolFolder: string;
}

const streamOf = (companyId: number): string => `company-${companyId}`;

/** Carries out employee synchronisations: reads the body, decides on the company's stream, appends. */
export class ImportEngine {
  readonly #deps: ImportEngineDeps;
  readonly #fold: Fold<CompanyState>;

  constructor(deps: ImportEngineDeps) {
    this.#deps = deps;
    this.#fold = companyFold(deps.digester);
  }

  run(request: EmployeeImportRequest): Promise<EmployeeImportOutcome> {
    return request.dryRun ? this.#rehearse(request) : this.#carryOut(request);
  }

  async #carryOut(request: EmployeeImportRequest): Promise<EmployeeImportOutcome> {
    const one = new OneImport(request, this.#deps.digester, this.#fold);
    const outcome = await decideAndAppend(this.#deps, {
      stream: streamOf(request.companyId),
      context: request.context,
      fold: one.fold,
      store: this.#deps.states,
      decide: (state) => one.decide(state),
    });
    return this.#answer(request, outcome);
  }

  async #answer(
    request: EmployeeImportRequest,
    outcome: Outcome<CompanyState, EmployeeSetRejection>,
  ): Promise<EmployeeImportOutcome> {
    switch (outcome.kind) {
      case 'appended': {
        const { inserted, updated, removed } = await summaryOf(outcome.events);
        return { kind: 'done', inserted, updated, removed, position: outcome.position };
      }
      case 'refused': {
        const errors = rejectionTexts(outcome.rejection);
        return { kind: 'refused', errors, position: await recordRefusal(this.#deps, request, errors) };
      }
      case 'nothing':
        throw new Error('an employee synchronisation comes to an event or to a refusal');
      default:
        return outcome satisfies never;
    }
  }

  async #rehearse(request: EmployeeImportRequest): Promise<EmployeeImportOutcome> {
    const { log, states, digester, findIds } = this.#deps;
    const stream = streamOf(request.companyId);
    const loaded = await foldStream(log, stream, this.#fold, await states.recall(stream));
    states.remember(stream, loaded);
    const decision = new OneImport(request, digester, this.#fold).decideWithoutLimits(loaded.state);
    if (decision.kind === 'refused') {
      return { kind: 'refused', errors: rejectionTexts(decision.rejection), position: undefined };
    }
    const { companyId } = request;
    const { state } = loaded;
    return { kind: 'dry-run', result: await dryRunResult({ companyId, state, decision }, findIds) };
  }
}

/** The counts stand at the beginning of the event's data. */
async function summaryOf(events: readonly LoadedEvent[]): Promise<EmployeeSetSummary> {
  for (const event of events) for await (const chunk of event.chunks()) return readSetSummary(chunk);
  throw new Error('the event of an employee synchronisation has no data');
}
