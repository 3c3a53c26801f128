import { foldCase } from '../text/fold-case.js';

/** One for a department, however its dimension and name are written; NUL stands in neither. */
export const departmentKey = (dimension: string, name: string): string =>
  `${foldCase(dimension)}\0${foldCase(name)}`;

/** One for a role. */
export const roleKey = (department: number, user: number): string => `${department}:${user}`;
