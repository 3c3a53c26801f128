import { invitationsOf } from '../invitations/read-invitations.js';
import type { ListedImport } from './import-list.js';
import { readPlans } from '../read-models/invitation-plans.js';
import type { ReadModelReader } from '../ports/read-models.js';

const maxCounted = 2_000;

/** Invitations of those whom an import has added: how many by state, of the first 2,000, and how many there are. */
export interface InvitedByImport {
  readonly planned: number;
  readonly counted: number;
  readonly states: Readonly<Record<string, number>>;
}

type Asked = Pick<ListedImport, 'companyId' | 'operationId'> & Readonly<Record<'first' | 'now', number>>;

/** `first`: the number of an employee whom the import has added. */
export async function invitedBy(
  readModels: Pick<ReadModelReader, 'find' | 'get' | 'getMany'>,
  { companyId, operationId, first, now }: Asked,
): Promise<InvitedByImport> {
  let planned = 0;
  const numbers: number[] = [];
  for await (const { plans } of readPlans(readModels, companyId, first - 1)) {
    if (plans.operationId !== operationId) break;
    for (const [from, count] of plans.ranges) {
      planned += count;
      for (let at = 0; at < count && numbers.length < maxCounted; at += 1) numbers.push(from + at);
    }
  }
  const states: Record<string, number> = {};
  for (const { State } of await invitationsOf(readModels, { companyId, now }, numbers)) {
    const state = State.toLowerCase();
    states[state] = (states[state] ?? 0) + 1;
  }
  return { planned, counted: numbers.length, states };
}
