import {
  type DifferencePart,
  differenceParts,
  importDifference,
  type ListedImport,
  type ManagerChanges,
  managerDifference,
  managerParts,
  wholeDifference,
} from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';
import type { RouteDependencies } from '../../route-dependencies.js';
import { numberText } from '../frame/numbers.js';
import type { DifferenceView } from './difference-view.js';

/** How long old values are looked for. */
const patienceMs = 1_000;

type Stores = Pick<RouteDependencies, 'log' | 'readModels'>;

export interface DifferenceAsk {
  readonly part?: string;
  readonly skip: number;
  readonly limit: number;
}

type Read = Pick<DifferenceView, 'counts' | 'rows' | 'remark' | 'part'> | undefined;

/** A page of what an import has changed; undefined where it changed nothing. */
export const readDifference = (stores: Stores, one: ListedImport, asked: DifferenceAsk): Promise<Read> =>
  readers[one.kind](stores, one, asked);

/** What is opened first: removals are what people fear. */
const worstPart = ({ Removed, Updated }: ListedImport): DifferencePart =>
  Removed > 0 ? 'removed' : Updated > 0 ? 'changed' : 'added';

const placeOf = ({ companyId, revision }: ListedImport) => ({ companyId, revision });
const now = (): number => performance.now();
const patience = () => ({ until: now() + patienceMs, now });

type Reader = (stores: Stores, one: ListedImport, asked: DifferenceAsk) => Promise<Read>;

const readers: Readonly<Record<ListedImport['kind'], Reader>> = {
  employees: async (stores, one, asked) => {
    const named = differenceParts.find((each) => each === asked.part);
    const part = named ?? worstPart(one);
    const page = await importDifference(stores, { ...placeOf(one), ...patience(), ...asked, part });
    if (page === undefined) return undefined;
    const { counts, rows, withoutOld: late } = page;
    // Renames and people who came back stand among the updated and inserted.
    const other = counts[part] > 0 ? undefined : differenceParts.find((each) => counts[each] > 0);
    if (named === undefined && other !== undefined)
      return readers.employees(stores, one, { ...asked, part: other });
    const remark = `The old values of ${numberText(late)} of them lie far back in the log: look at an employee's page.`;
    return { counts, rows, part, remark: late === 0 ? undefined : remark };
  },
  managers: async (stores, one, asked) => {
    const found = await managerDifference(stores, { ...placeOf(one), ...patience() });
    if (found === undefined) return undefined;
    const { counts, isPartial } = found;
    const named = managerParts.find((each) => each === asked.part);
    const part = named ?? managerParts.find((each) => counts[each] > 0) ?? 'locked';
    const rows: PreviewRow[] = [];
    for await (const row of found.rows(part, asked.skip, asked.limit)) rows.push(row);
    const remark = 'Old values, and parents that changed, lie far back in the log: the CSV has them.';
    return { counts, rows, part, remark: isPartial ? remark : undefined };
  },
};

export interface WholeDifference {
  readonly rows: AsyncIterable<PreviewRow>;
  /** Of whom it is, about. */
  readonly count: number;
}

/** All of it, however long it takes; undefined where it changed nothing. */
export async function readWhole(stores: Stores, one: ListedImport): Promise<WholeDifference | undefined> {
  if (one.kind === 'employees') {
    const rows = await wholeDifference(stores, placeOf(one));
    return rows && { rows, count: one.Inserted + one.Updated + one.Removed };
  }
  const found = await managerDifference(stores, { ...placeOf(one), until: Infinity, now: () => 0 });
  if (found === undefined) return undefined;
  return { rows: allParts(found), count: managerParts.reduce((sum, part) => sum + found.counts[part], 0) };
}

async function* allParts({ rows }: ManagerChanges): AsyncGenerator<PreviewRow> {
  for (const part of managerParts) yield* rows(part);
}
