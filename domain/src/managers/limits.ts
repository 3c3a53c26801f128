import { limits } from '@rollcall/contracts';

/** Unicode code points (docs/contract, "Managers"). */
export const maxNameLength = limits.managers.name;
/** Problems named in a refusal; others are counted. */
export const maxProblems = 20;
export const maxDivisions = limits.managers.divisions;
