import type { ReadModelReader } from '@rollcall/application';

/** The ETag: quoted revision of the set's last event, if any. Read it before the rows, so that it is never too new. */
export async function setRevision(
  readModels: ReadModelReader,
  companyId: number,
): Promise<string | undefined> {
  const json = await readModels.get('manager-sets', [companyId]);
  if (!json) return undefined;
  const set: unknown = JSON.parse(Buffer.from(json).toString());
  if (typeof set !== 'object' || set === null || !('revision' in set)) return undefined;
  return typeof set.revision === 'number' ? `"${set.revision}"` : undefined;
}
