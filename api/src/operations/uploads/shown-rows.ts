import { previewRows, type StoredRows } from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';

export const shownRows = 50;

const leaves = ({ Change }: PreviewRow): boolean => Change === 'Removed' || Change === 'UserLocked';

/** The first rows, of those who leave before the others. */
export async function shownOf(stored: StoredRows | undefined) {
  const [gone, others]: [PreviewRow[], PreviewRow[]] = [[], []];
  let count = 0;
  if (stored !== undefined)
    for await (const row of previewRows(stored)) {
      const list = leaves(row) ? gone : others;
      if (list.length < shownRows) list.push(row);
      count += 1;
    }
  const rows = [...gone, ...others].slice(0, shownRows);
  return { rows, isPartial: rows.length < count };
}
