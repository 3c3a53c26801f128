import { parseStrictJson } from '../json/strict-json.js';
import type { EmployeeList } from './employee-list.js';
import { readEmployee } from './read-employee.js';

/** Names of members that have no place among an employee's fields, each with the number of elements that carry it. */
export function ignoredFields(list: EmployeeList): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (let element = 0; element < list.count; element++) {
    if (list.withUnknown[element] === 0) continue;
    // A copy, because the body may lie on shared memory.
    const parsed = parseStrictJson(Buffer.from(list.body.subarray(list.starts[element], list.ends[element])));
    if (!parsed.ok) throw new Error('an element of a valid list is not valid');
    for (const name of readEmployee(parsed.value).ignored) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
