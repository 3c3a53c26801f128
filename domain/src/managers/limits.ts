/** Lengths in Unicode code points (docs/contract, "Managers"). */
export const maxNameLength = 150;
/** How many problems a refusal tells; the others are counted. */
export const maxProblems = 20;
/** Members of DepartmentHierarchy: far more than any company has, and no more than one event can well carry. */
export const maxDivisions = 100_000;
