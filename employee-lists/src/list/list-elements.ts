import type { EmployeeList } from './list-builder.js';
import { type EmployeeReading, readEmployee } from './read-employee.js';

export const bytesOf = ({ bytes, bounds }: EmployeeList, element: number): Buffer =>
  bytes(bounds[element * 2] ?? 0, bounds[element * 2 + 1] ?? 0);

export function readElement(list: EmployeeList, element: number): EmployeeReading {
  return readEmployee(JSON.parse(bytesOf(list, element).toString()));
}

export const readEmployeeIdOf = (list: EmployeeList, element: number): string =>
  readElement(list, element).values.EmployeeID ?? '';
