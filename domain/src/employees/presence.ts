import type { EmployeeValues } from '@rollcall/contracts';
import type { Digester } from './digests.js';
import { isComplete, readEmployee } from './read-employee.js';
import type { EmployeeSet } from './set-state.js';
import { canonicalBytes } from './values.js';

/** Whether an employee with this number is present. */
export const isPresent = (set: EmployeeSet, number: number): boolean =>
  set.numbers.subarray(0, set.count).includes(number);

/**
 * The values of a document that says of itself that it is the employee with this number, as `GET` gives it; undefined where
 * the set, which is the truth, has others, or knows nobody like that: the document is older or newer than the set.
 */
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
