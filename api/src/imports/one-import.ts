import { type Decision, type Fold, type LoadedEvent } from '@rollcall/adapters';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import {
  afterImport,
  type CompanyState,
  decideEmployeeSet,
  type Digester,
  type EmployeeListReading,
  type EmployeeSetDecision,
  type EmployeeSetRejection,
  readEmployeeList,
  type ReplaceEmployeeSet,
} from '@rollcall/domain';
import type { EmployeeImportRequest } from './outcome.js';

type Accepted = Exclude<EmployeeSetDecision, { kind: 'refused' }>;

/** One call on its way through `decideAndAppend`: its body is read once, however often it is decided. */
export class OneImport {
  readonly #request: EmployeeImportRequest;
  readonly #command: ReplaceEmployeeSet;
  readonly #fold: Fold<CompanyState>;
  #reading: EmployeeListReading | undefined;
  /** The state that was decided on last, and the state after. */
  #decided: { readonly from: CompanyState; readonly after: CompanyState } | undefined;

  constructor(request: EmployeeImportRequest, digester: Digester, fold: Fold<CompanyState>) {
    this.#request = request;
    this.#fold = fold;
    this.#command = {
      companyId: request.companyId,
      operationId: request.context.operationId,
      bodySha256: request.bodySha256,
      receivedAt: Date.parse(request.context.receivedAt),
      digester,
      read: () => (this.#reading ??= readEmployeeList(request.body, digester)),
    };
  }

  /**
   * The company's fold, which takes the state after this call's own event from the decision, instead of reading
   * back what was just written. On top of any other state it folds the event as everybody does.
   */
  get fold(): Fold<CompanyState> {
    return {
      initial: () => this.#fold.initial(),
      evolve: (state, event) =>
        this.#isOwn(event) && this.#decided?.from === state
          ? this.#decided.after
          : this.#fold.evolve(state, event),
    };
  }

  #isOwn(event: LoadedEvent): boolean {
    return event.metadata.operationId === this.#request.context.operationId;
  }

  decide(state: CompanyState): Decision<EmployeeSetRejection> {
    const decision = decideEmployeeSet(this.#command, state);
    if (decision.kind === 'refused') return decision;
    this.#decided = { from: state, after: stateAfter(state, decision) };
    return { kind: 'events', events: [newEvent(decision)] };
  }

  /** Without the batch limit, and reading the body in any case: for a rehearsal. */
  decideWithoutLimits(state: CompanyState): EmployeeSetDecision {
    const { settings } = state;
    const unlimited =
      settings.status === 'configured'
        ? { ...settings, settings: { ...settings.settings, batchLimit: null } }
        : settings;
    return decideEmployeeSet(this.#command, { ...state, settings: unlimited, lastBody: null });
  }
}

const stateAfter = (state: CompanyState, decision: Accepted): CompanyState =>
  afterImport(state, decision.summary, decision.kind === 'replaced' ? decision.after : state.employees);

function newEvent(decision: Accepted) {
  return decision.kind === 'replaced'
    ? ({ name: 'EmployeeSetReplaced', source: decision.source } as const)
    : ({ name: 'EmployeeSetConfirmed', data: decision.summary satisfies EmployeeSetSummary } as const);
}
