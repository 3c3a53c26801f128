import { invitationCollections, type ProgressDocument } from '../invitations/documents.js';
import { readPlans } from '../read-models/invitation-plans.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';

const maxCounted = 2_000;

/** Invitations of those whom an import has added: how many by state, of the first 2,000, and how many there are. */
export interface InvitedByImport {
  readonly planned: number;
  readonly counted: number;
  readonly states: Readonly<Record<string, number>>;
}

/** `first`: the number of an employee whom the import has added. */
export async function invitedBy(
  readModels: Pick<ReadModelReader, 'find' | 'getMany'>,
  {
    companyId,
    operationId,
    first,
  }: { readonly companyId: number; readonly operationId: string; readonly first: number },
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
  await readModels.getMany(
    invitationCollections.progress,
    numbers.map((number) => [companyId, number] as const),
    (stored) => {
      const state = (fromJson(stored) as ProgressDocument | undefined)?.state ?? 'planned';
      states[state] = (states[state] ?? 0) + 1;
    },
  );
  return { planned, counted: numbers.length, states };
}
