import type { DryRunResult, EmployeeValues, LikelyRenames, PreviewRow } from '@rollcall/contracts';
import { numberWithId, valuesInForce } from '@rollcall/domain';
import {
  type Digester,
  type EmployeeList,
  isComplete,
  readEmployee,
  readValuesOf,
  withoutInvitationDate,
} from '@rollcall/employee-lists';
import type { EmployeeSet, EmployeeSetChange } from '@rollcall/employee-lists/set';
import { batchesOf } from '../grouped-by.js';
import { Contacts } from './contacts.js';
import { ReadModelsUnavailable } from '../ports/read-models.js';
import type { ShownRow } from '../ports/imports.js';
import { fieldsBetween } from './preview-rows.js';

/** Ids of each kind, and likely renames, that a rehearsal names. */
const namedIds = 1000;

/** What a list changes. The old values are in the read models alone: the set has digests. */
export interface EmployeeDifference {
  readonly list: EmployeeList;
  readonly change: EmployeeSetChange;
  readonly set: EmployeeSet;
  readonly digester: Digester;
  readonly find: (numbers: readonly number[]) => Promise<readonly (ShownRow | undefined)[]>;
}

const elementsOf = (pairs: Uint32Array): Uint32Array => pairs.filter((_, at) => at % 2 === 0);
const indexesOf = (pairs: Uint32Array): Uint32Array => pairs.filter((_, at) => at % 2 === 1);

export async function employeeChanges(difference: EmployeeDifference): Promise<DryRunResult['Changes']> {
  const { list, change } = difference;
  const named = (elements: Uint32Array): string[] =>
    Array.from(elements.subarray(0, namedIds), (element) => readValuesOf(list, element).EmployeeID);
  const Removed: string[] = [];
  for await (const leaving of currentRows(difference, change.left.subarray(0, namedIds)))
    Removed.push(...leaving.map(({ row }) => String(row['EmployeeID'])));
  return {
    Inserted: named(change.added),
    Updated: [change.changed, change.renamed].flatMap((all) => named(elementsOf(all))).slice(0, namedIds),
    Removed,
  };
}

/** Who leaves with the e-mail address, or else the phone number, of somebody who comes. Memory: 48 bytes for each who comes. */
export async function likelyRenames(difference: EmployeeDifference): Promise<LikelyRenames> {
  const { change, list, digester } = difference;
  const renames: LikelyRenames['Renames'] = [];
  if (change.left.length === 0 || change.added.length === 0) return { Count: 0, Renames: renames };
  const coming = new Contacts(digester, change.added.length);
  for (const element of change.added) coming.add(readValuesOf(list, element), element);
  let Count = 0;
  for await (const leaving of currentRows(difference, change.left))
    for (const { row } of leaving) {
      const [found] = coming.holders(row);
      if (found && ++Count <= namedIds)
        renames.push({
          From: String(row['EmployeeID']),
          To: readValuesOf(list, found.holder).EmployeeID,
          By: found.by,
        });
    }
  return { Count, Renames: renames };
}

/** The difference, a batch of employees in memory; of each kind the first `most`. */
export async function* employeeRows(
  difference: EmployeeDifference | undefined,
  most: number,
): AsyncGenerator<PreviewRow> {
  if (!difference) return;
  const { list, change } = difference;
  for (const element of change.added.subarray(0, most)) {
    const values = readValuesOf(list, element);
    const Fields = fieldsBetween(undefined, values);
    yield { Change: 'Inserted', Id: null, EmployeeID: values.EmployeeID, Fields };
  }
  yield* pairRows(difference, 'Updated', change.changed.subarray(0, 2 * most));
  yield* pairRows(difference, 'Renamed', change.renamed.subarray(0, 2 * most));
  for await (const batch of knownRows(difference, change.left.subarray(0, most)))
    for (const { number, values: before } of batch) {
      const Fields = fieldsBetween(before, undefined);
      yield { Change: 'Removed', Id: number, EmployeeID: before.EmployeeID, Fields };
    }
}

async function* pairRows(
  difference: EmployeeDifference,
  Change: 'Updated' | 'Renamed',
  pairs: Uint32Array,
): AsyncGenerator<PreviewRow> {
  const elements = elementsOf(pairs);
  for await (const batch of knownRows(difference, indexesOf(pairs)))
    for (const { at, number, values: before } of batch) {
      const values = withoutInvitationDate(readValuesOf(difference.list, elements[at] ?? 0));
      yield { Change, Id: number, EmployeeID: values.EmployeeID, Fields: fieldsBetween(before, values) };
    }
}

interface CurrentEmployee {
  readonly at: number;
  readonly number: number;
  readonly row: ShownRow;
  /** Undefined where an event of before there were limits holds more than they allow. */
  readonly values: EmployeeValues | undefined;
}

type Rows = Pick<EmployeeDifference, 'set' | 'digester' | 'find'>;

const notShown = (): ReadModelsUnavailable =>
  new ReadModelsUnavailable('The read models do not show the current employees yet');

/** `ReadModelsUnavailable` where the read models do not show those of the set yet. */
async function* currentRows(
  { set, digester, find }: Rows,
  indexes: Uint32Array,
): AsyncGenerator<readonly CurrentEmployee[]> {
  let from = 0;
  for (const batch of batchesOf(indexes)) {
    const numbers = batch.map((index) => set.numbers[index] ?? 0);
    const rows = await find(numbers);
    yield numbers.map((number, at) => {
      const row = rows[at] ?? {};
      const values = valuesInForce(set, digester, number, row);
      const isCurrent = values ?? (!isComplete(readEmployee(row)) && hasNumber(set, digester, number, row));
      if (!isCurrent) throw notShown();
      return { at: from + at, number, row, values };
    });
    from += batch.length;
  }
}

const hasNumber = (set: EmployeeSet, digester: Digester, number: number, row: ShownRow): boolean =>
  numberWithId(set, digester, String(row['EmployeeID'])) === number;

/** `ReadModelsUnavailable` also where values cannot be compared. */
export async function* knownRows(
  given: Rows,
  indexes: Uint32Array,
): AsyncGenerator<readonly (CurrentEmployee & { readonly values: EmployeeValues })[]> {
  for await (const batch of currentRows(given, indexes))
    yield batch.map((one) => {
      if (!one.values) throw notShown();
      return { ...one, values: one.values };
    });
}
