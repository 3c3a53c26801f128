import type { ReadModelReader } from '@rollcall/application';

/**
 * The ETag of a company's employees or managers: the revision of the last event that changed the set, quoted; undefined
 * before the first. Read it before the rows, so that it is never too new.
 */
export async function setRevision(
  readModels: ReadModelReader,
  collection: 'employee-sets' | 'manager-sets',
  companyId: number,
): Promise<string | undefined> {
  const json = await readModels.get(collection, [companyId]);
  if (!json) return undefined;
  const set: unknown = JSON.parse(Buffer.from(json).toString());
  if (typeof set !== 'object' || set === null || !('revision' in set)) return undefined;
  return typeof set.revision === 'number' ? `"${set.revision}"` : undefined;
}
