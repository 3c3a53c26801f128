import type { DryRunResult, EmployeeValues, LikelyRenames, PreviewRow } from '@rollcall/contracts';
import { valuesInForce } from '@rollcall/domain';
import {
  type Digester,
  type EmployeeList,
  readValuesOf,
  withoutInvitationDate,
} from '@rollcall/employee-lists';
import type { EmployeeSet, EmployeeSetChange } from '@rollcall/employee-lists/set';
import { Contacts } from './contacts.js';
import { ReadModelsUnavailable } from '../ports/read-models.js';
import type { ShownRow } from '../ports/imports.js';
import { fieldsBetween } from './preview-rows.js';

/** Ids of each kind, and likely renames, that a rehearsal names. */
const namedIds = 1000;
const rowsTogether = 512;

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
  for await (const leaving of knownRows(difference, change.left.subarray(0, namedIds)))
    Removed.push(...leaving.map(({ values }) => values.EmployeeID));
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
  for await (const leaving of knownRows(difference, change.left))
    for (const { values } of leaving) {
      const [found] = coming.holders({ ...values });
      if (found && ++Count <= namedIds)
        renames.push({
          From: values.EmployeeID,
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

interface KnownEmployee {
  readonly at: number;
  readonly number: number;
  readonly values: EmployeeValues;
}

/** `ReadModelsUnavailable` where the read models do not show the old values yet. */
export async function* knownRows(
  { set, digester, find }: Pick<EmployeeDifference, 'set' | 'digester' | 'find'>,
  indexes: Uint32Array,
): AsyncGenerator<readonly KnownEmployee[]> {
  for (let from = 0; from < indexes.length; from += rowsTogether) {
    const numbers = Array.from(
      indexes.subarray(from, from + rowsTogether),
      (index) => set.numbers[index] ?? 0,
    );
    const rows = await find(numbers);
    yield numbers.map((number, at) => {
      const values = valuesInForce(set, digester, number, rows[at]);
      if (!values) throw new ReadModelsUnavailable('The read models do not show the current employees yet');
      return { at: from + at, number, values };
    });
  }
}
