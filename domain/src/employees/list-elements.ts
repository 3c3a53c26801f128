import { IgnoredNames } from '../json/ignored-names.js';
import { parseStrictJson } from '../json/strict-json.js';
import type { EmployeeList } from './list-builder.js';
import { type EmployeeReading, readEmployee } from './read-employee.js';

/** The JSON text of an element. */
export const bytesOf = ({ bytes, bounds }: EmployeeList, element: number): Buffer =>
  bytes(bounds[element * 2] ?? 0, bounds[element * 2 + 1] ?? 0);

/** An element of a valid list, read in full. */
export function readElement(list: EmployeeList, element: number): EmployeeReading {
  const parsed = parseStrictJson(bytesOf(list, element));
  if (!parsed.ok) throw new Error('an element of a valid list is not valid');
  return readEmployee(parsed.value);
}

/** The EmployeeID of an element. */
export const readEmployeeIdOf = (list: EmployeeList, element: number): string =>
  readElement(list, element).values.EmployeeID ?? '';

/** Names of members that have no place among an employee's fields, each with the number of elements that carry it. */
export function ignoredFields(list: EmployeeList): Readonly<Record<string, number>> {
  const names = new IgnoredNames();
  for (let element = 0; element < list.count; element++) {
    if (list.withUnknown[element] === 0) continue;
    for (const name of readElement(list, element).ignored) names.add(name);
  }
  return names.counts();
}
