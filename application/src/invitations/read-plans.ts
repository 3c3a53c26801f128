import type { ReadModelReader, StoredDocument } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import type { PlansDocument } from '../read-models/invitation-plans.js';
import { invitationCollections } from './documents.js';

/** What one document of `invitation-plans` says. It never changes, and later ones have higher numbers. */
export interface StoredPlans {
  /** The last number that it plans for. */
  readonly last: number;
  readonly plans: PlansDocument;
}

/** A company's plans in rising numbers, or those that go beyond a number. */
export async function* readPlans(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  after?: number,
): AsyncGenerator<StoredPlans> {
  const options = { prefix: [companyId], ...(after !== undefined && { after: [companyId, after] as const }) };
  for await (const stored of readModels.find(invitationCollections.plans, options)) yield plansOf(stored);
}

/** Those of all companies that stem from a position of the log on, each with its company. */
export async function* readPlansFrom(
  readModels: Pick<ReadModelReader, 'findByIndex'>,
  from: number,
): AsyncGenerator<StoredPlans & { readonly companyId: number }> {
  for await (const stored of readModels.findByIndex(invitationCollections.plans, 'position', {
    prefix: [],
    from,
  }))
    yield { ...plansOf(stored), companyId: Number(stored.key[0]) };
}

function plansOf({ key, value }: StoredDocument): StoredPlans {
  return { last: Number(key[1]), plans: fromJson(value) as PlansDocument };
}

/** What plans for a number, if anything does: the first document that goes so far. */
export async function readPlansOf(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  number: number,
): Promise<StoredPlans | undefined> {
  for await (const plans of readPlans(readModels, companyId, number - 1)) return plans;
  return undefined;
}
