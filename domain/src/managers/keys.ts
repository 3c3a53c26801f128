import { foldCase } from '@rollcall/employee-lists/text';

/** Case-insensitive; NUL occurs in neither part. */
export const departmentKey = (dimension: string, name: string): string =>
  `${foldCase(dimension)}\0${foldCase(name)}`;

export const roleKey = (department: number, user: number): string => `${department}:${user}`;
