import { previewRows, type StoredRows } from '@rollcall/application';
import type { ImportKind, PreviewRow } from '@rollcall/contracts';
import { findRows } from '@rollcall/host';
import type { RouteDependencies } from '../../route-dependencies.js';

export const shownRows = 50;

const leaves = (change: string): boolean => change === 'Removed' || change === 'UserLocked';

/** The first rows of each kind, who leaves before the others. `emptied`: of all rows that are read. */
export async function shownOf(stored: StoredRows | undefined) {
  const byChange = new Map<string, PreviewRow[]>();
  const emptied = new Map<string, number>();
  let count = 0;
  if (stored !== undefined)
    for await (const row of previewRows(stored)) {
      const list = byChange.get(row.Change) ?? [];
      byChange.set(row.Change, list);
      if (list.length < shownRows) list.push(row);
      for (const name of emptiedIn(row)) emptied.set(name, (emptied.get(name) ?? 0) + 1);
      count += 1;
    }
  const lists = [...byChange].sort(([a], [b]) => Number(leaves(b)) - Number(leaves(a)));
  const firstOf = (most: number) => lists.flatMap(([, list]) => list.slice(0, most));
  let most = shownRows;
  while (firstOf(most).length > shownRows) most -= 1;
  const rows = firstOf(most);
  return { rows, isPartial: rows.length < count, emptied: [...emptied] };
}

/** Of an employee who stays. */
const emptiedIn = ({ Change, Fields }: PreviewRow): readonly string[] =>
  Object.keys(Fields).filter((name) => Fields[name]?.New === null && /^(?:Updated|Renamed)$/.test(Change));

/** By number, of those whom the read models know. */
export async function namesOf(
  { readModels }: Pick<RouteDependencies, 'readModels'>,
  { kind, companyId }: { readonly kind: ImportKind; readonly companyId: number },
  rows: readonly PreviewRow[],
): Promise<ReadonlyMap<number, string>> {
  const numbers = [...new Set(rows.flatMap(({ Id }) => Id ?? []))];
  const found = await findRows(readModels)(kind, companyId, numbers);
  const names = kind === 'employees' ? ['Firstname', 'Lastname'] : ['FirstName', 'LastName'];
  return new Map(numbers.map((number, at) => [number, names.map((name) => found[at]?.[name]).join(' ')]));
}
