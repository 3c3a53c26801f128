import {
  type CompanyState,
  type EmployeeSetDecision,
  exceedsBatchLimit,
  ignoredFields,
  readEmployeeIdOf,
} from '@rollcall/domain';
import type { DryRunResult } from '@rollcall/contracts';

/** How many ids of each kind a rehearsal names. */
const namedIds = 1000;

/** Looks up the EmployeeIDs behind numbers; for those it does not know it gives none. */
export type FindEmployeeIds = (companyId: number, numbers: readonly number[]) => Promise<string[]>;

interface Rehearsal {
  readonly companyId: number;
  readonly state: CompanyState;
  readonly decision: Exclude<EmployeeSetDecision, { kind: 'refused' }>;
}

/** What the call would do. Those who would leave are named from the read model, because the state knows only numbers. */
export async function dryRunResult(rehearsal: Rehearsal, findIds: FindEmployeeIds): Promise<DryRunResult> {
  const { state, decision } = rehearsal;
  const { inserted, updated, removed } = decision.summary;
  return {
    DryRun: true,
    Inserted: inserted,
    Updated: updated,
    Removed: removed,
    WasQueued: false,
    Changes: await changes(rehearsal, findIds),
    BatchLimit: batchLimit(state, { inserted, removed }),
    IgnoredFields: decision.list === undefined ? {} : ignoredFields(decision.list),
    PendingImports: 0,
  };
}

function batchLimit(
  state: CompanyState,
  counts: { inserted: number; removed: number },
): DryRunResult['BatchLimit'] {
  const limit = state.settings.status === 'configured' ? state.settings.settings.batchLimit : null;
  const present = state.employees.count;
  return { Limit: limit, Present: present, Exceeded: exceedsBatchLimit({ present, ...counts }, limit) };
}

async function changes(
  { companyId, decision, state }: Rehearsal,
  findIds: FindEmployeeIds,
): Promise<DryRunResult['Changes']> {
  if (decision.kind === 'confirmed') return { Inserted: [], Updated: [], Removed: [] };
  const { list } = decision;
  const { added, changed, left } = decision.change;
  const changedElements = changed.filter((_, i) => i % 2 === 0);
  const numbers = Array.from(left.subarray(0, namedIds), (index) => state.employees.numbers[index] ?? 0);
  return {
    Inserted: Array.from(added.subarray(0, namedIds), (element) => readEmployeeIdOf(list, element)),
    Updated: Array.from(changedElements.subarray(0, namedIds), (element) => readEmployeeIdOf(list, element)),
    Removed: await findIds(companyId, numbers),
  };
}
