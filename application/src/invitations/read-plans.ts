import type { ReadModelReader, StoredDocument } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import type { PlansDocument } from '../read-models/invitation-plans.js';
import { invitationCollections } from './documents.js';

/** A document of `invitation-plans`: immutable; later ones have higher numbers. */
export interface StoredPlans {
  readonly last: number;
  readonly revision: number;
  readonly plans: PlansDocument;
}

export async function* readPlans(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  after?: number,
): AsyncGenerator<StoredPlans> {
  const options = { prefix: [companyId], ...(after !== undefined && { after: [companyId, after] as const }) };
  for await (const stored of readModels.find(invitationCollections.plans, options)) yield plansOf(stored);
}

/** Of all companies, from a position of the log on. */
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

function plansOf({ key, revision, value }: StoredDocument): StoredPlans {
  return { last: Number(key[1]), revision, plans: fromJson(value) as PlansDocument };
}

/** The plan of a number: the first document that reaches it. */
export async function readPlansOf(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  number: number,
): Promise<StoredPlans | undefined> {
  for await (const plans of readPlans(readModels, companyId, number - 1)) return plans;
  return undefined;
}
