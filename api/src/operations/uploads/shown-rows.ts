import { discardRows, previewRows, type StoredRows } from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';

const shownRows = 50;
/** Changes that are looked through for those who leave. */
const maxLooked = 20_000;

const leaves = ({ Change }: PreviewRow): boolean => Change === 'Removed' || Change === 'UserLocked';

/** The first rows, of those who leave before the others. */
export async function shownOf(stored: StoredRows | undefined) {
  if (stored === undefined) return { rows: [], isPartial: false };
  const [gone, others]: [PreviewRow[], PreviewRow[]] = [[], []];
  let looked = 0;
  try {
    for await (const row of previewRows(stored)) {
      const list = leaves(row) ? gone : others;
      if (list.length < shownRows) list.push(row);
      if ((looked += 1) >= maxLooked || gone.length === shownRows) break;
    }
  } finally {
    discardRows(stored);
  }
  const rows = [...gone, ...others].slice(0, shownRows);
  return { rows, isPartial: rows.length < looked };
}
