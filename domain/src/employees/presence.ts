import type { EmployeeValues } from '@rollcall/contracts';
import { type Digester, isComplete, readEmployee, canonicalBytes } from '@rollcall/employee-lists';
import type { EmployeeSet } from '@rollcall/employee-lists/set';

export const isPresent = (set: EmployeeSet, number: number): boolean =>
  set.numbers.subarray(0, set.count).includes(number);

export function numberWithId(set: EmployeeSet, digester: Digester, id: string): number | undefined {
  const words = new Uint32Array(4);
  digester.idDigestOf(id, words, 0);
  const index = set.ids.find(words, 0);
  return index < 0 ? undefined : set.numbers[index];
}

/** The document's values; undefined where the set, which is the truth, has others: the document is older or newer. */
export function valuesInForce(
  set: EmployeeSet,
  digester: Digester,
  number: number,
  document: unknown,
): EmployeeValues | undefined {
  const reading = readEmployee(document);
  if (!isComplete(reading)) return undefined;
  const { values } = reading;
  const words = new Uint32Array(4);
  digester.idDigestOf(values.EmployeeID, words, 0);
  const index = set.ids.find(words, 0);
  if (index < 0 || set.numbers[index] !== number) return undefined;
  digester.valuesDigestOf(canonicalBytes(values), words, 0);
  return words.every((word, at) => word === set.digests[index * 4 + at]) ? values : undefined;
}
