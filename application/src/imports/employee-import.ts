import type { DryRunResult } from '@rollcall/contracts';
import {
  afterEmployeeSet,
  type BodyReading,
  type CompanyState,
  decideEmployeeSet,
  type Digester,
  checkEmployeeList,
  type EmployeeListCheck,
  type EmployeeListReading,
  type EmployeeSetDecision,
  type EmployeeSetRejection,
  type EventPlace,
  exceedsBatchLimit,
  ignoredFields,
  isLastBody,
  readEmployeeIdOf,
  readEmployeeList,
  rejectionTexts,
  type ReplaceEmployeeSet,
} from '@rollcall/domain';
import type { NewEvent } from '../event-store/new-events.js';
import type { FindNames, ImportCall, ImportDecision, OpenImport, Refusal } from './import-handler.js';

/** How many ids of each kind a rehearsal names. */
const namedIds = 1000;

type Carried = Exclude<EmployeeSetDecision, { kind: 'refused' }>;

/** A replacement of all employees. */
export class EmployeeImport implements OpenImport {
  readonly #companyId: number;
  readonly #command: ReplaceEmployeeSet;
  readonly #check: (digestBelow: number) => EmployeeListCheck;
  #reading: EmployeeListReading | undefined;
  /** Of a body that was checked and not digested. */
  #elements: number | undefined;

  constructor({ companyId, context, body, bodySha256 }: ImportCall, digester: Digester) {
    this.#companyId = companyId;
    this.#command = {
      companyId,
      operationId: context.operationId,
      bodySha256,
      receivedAt: Date.parse(context.receivedAt),
      digester,
      read: () => (this.#reading ??= readEmployeeList(body, digester)),
    };
    this.#check = (digestBelow) => checkEmployeeList(body, digester, digestBelow);
  }

  /** A body that is the last accepted one is not read again. */
  read(state: CompanyState, atOnceBelow: number): BodyReading<Refusal> {
    if (isLastBody(this.#command, state)) return { status: 'valid', elements: state.employees.count };
    const check = this.#checked(atOnceBelow);
    switch (check.status) {
      case 'checked':
        return { status: 'valid', elements: (this.#elements = check.count) };
      case 'valid':
        this.#reading = check;
        return { status: 'valid', elements: check.list.count };
      case 'invalid':
        this.#reading = check;
        return { status: 'invalid', rejection: refusalOf({ reason: 'invalid', problems: check.problems }) };
      default:
        return check satisfies never;
    }
  }

  /** Whatever the state, a body is checked once, and digested at most once. */
  #checked(digestBelow: number): EmployeeListCheck {
    if (this.#reading) return this.#reading;
    if (this.#elements !== undefined) return { status: 'checked', count: this.#elements };
    return this.#check(digestBelow);
  }

  decide(state: CompanyState): ImportDecision {
    const decision = decideEmployeeSet(this.#command, state);
    if (decision.kind === 'refused') return { kind: 'refused', refusal: refusalOf(decision.rejection) };
    const after = (later: CompanyState, place: EventPlace): CompanyState =>
      afterEmployeeSet(later, decision.summary, setAfter(later, decision), place);
    return { kind: 'decided', event: eventOf(decision), after };
  }

  async rehearse(state: CompanyState, findNames: FindNames) {
    const decision = decideEmployeeSet(this.#command, withoutLimits(state));
    if (decision.kind === 'refused') {
      const { errors } = refusalOf(decision.rejection);
      return { kind: 'refused', errors, position: undefined } as const;
    }
    const { inserted, updated, removed } = decision.summary;
    const result: DryRunResult = {
      DryRun: true,
      Inserted: inserted,
      Updated: updated,
      Removed: removed,
      WasQueued: false,
      Changes: await this.#changes(state, decision, findNames),
      BatchLimit: batchLimit(state, { inserted, removed }),
      IgnoredFields: decision.list === undefined ? {} : ignoredFields(decision.list),
      PendingImports: state.pending.length,
      Invitations: invitations(decision),
    };
    return { kind: 'dry-run', result } as const;
  }

  /** Those who would leave are named from the read model, because the state knows only numbers. */
  async #changes(
    state: CompanyState,
    decision: Carried,
    findNames: FindNames,
  ): Promise<DryRunResult['Changes']> {
    if (decision.kind === 'confirmed') return { Inserted: [], Updated: [], Removed: [] };
    const { list } = decision;
    const { added, changed, left } = decision.change;
    const changedElements = changed.filter((_, i) => i % 2 === 0);
    const numbers = Array.from(left.subarray(0, namedIds), (index) => state.employees.numbers[index] ?? 0);
    return {
      Inserted: Array.from(added.subarray(0, namedIds), (element) => readEmployeeIdOf(list, element)),
      Updated: Array.from(changedElements.subarray(0, namedIds), (element) =>
        readEmployeeIdOf(list, element),
      ),
      Removed: [...(await findNames('employees', this.#companyId, numbers))],
    };
  }
}

function refusalOf(rejection: EmployeeSetRejection): Refusal {
  const errors = rejectionTexts(rejection);
  const [first = ''] = errors;
  return { reason: rejection.reason === 'invalid' ? 'The list of employees is not valid' : first, errors };
}

function invitations(decision: Carried): DryRunResult['Invitations'] {
  if (decision.kind === 'confirmed') return { Count: 0, FirstDueAt: null, LastDueAt: null };
  const { count, firstDueAt, lastDueAt } = decision.invited();
  return { Count: count, FirstDueAt: firstDueAt, LastDueAt: lastDueAt };
}

const setAfter = (state: CompanyState, decision: Carried) =>
  decision.kind === 'replaced' ? decision.after : state.employees;

const eventOf = (decision: Carried): NewEvent =>
  decision.kind === 'replaced'
    ? { name: 'EmployeeSetReplaced', source: decision.source }
    : { name: 'EmployeeSetConfirmed', data: decision.summary };

/** A rehearsal tells of the batch limit instead of keeping it, and reads the body in any case. */
function withoutLimits(state: CompanyState): CompanyState {
  const { settings } = state;
  if (settings.status === 'unconfigured') return state;
  const unlimited = { ...settings, settings: { ...settings.settings, batchLimit: null } };
  return { ...state, settings: unlimited, lastBody: null };
}

function batchLimit(
  state: CompanyState,
  counts: { inserted: number; removed: number },
): DryRunResult['BatchLimit'] {
  const limit = state.settings.status === 'configured' ? state.settings.settings.batchLimit : null;
  const present = state.employees.count;
  return { Limit: limit, Present: present, Exceeded: exceedsBatchLimit({ present, ...counts }, limit) };
}
