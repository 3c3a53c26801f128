import { limits } from '@rollcall/contracts';

/** Lengths in Unicode code points (docs/contract, "Managers"). */
export const maxNameLength = limits.managers.name;
/** How many problems a refusal tells; the others are counted. */
export const maxProblems = 20;
/** Members of DepartmentHierarchy. */
export const maxDivisions = limits.managers.divisions;
