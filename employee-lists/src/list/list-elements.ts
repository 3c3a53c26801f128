import type { EmployeeValues } from '@rollcall/contracts';
import type { EmployeeList } from './list-builder.js';
import { type EmployeeReading, isComplete, readEmployee } from './read-employee.js';

export const bytesOf = ({ bytes, bounds }: EmployeeList, element: number): Buffer =>
  bytes(bounds[element * 2] ?? 0, bounds[element * 2 + 1] ?? 0);

export function readElement(list: EmployeeList, element: number): EmployeeReading {
  return readEmployee(JSON.parse(bytesOf(list, element).toString()));
}

/** Of an element of a valid list. */
export function readValuesOf(list: EmployeeList, element: number): EmployeeValues {
  const reading = readElement(list, element);
  if (!isComplete(reading)) throw new Error('an element of a valid list is not valid');
  return reading.values;
}
