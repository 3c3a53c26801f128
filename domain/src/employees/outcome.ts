import type { EmployeeSetSummary } from '@rollcall/contracts';

/** Equal where two decisions on one set come to the same change: what a preview and an approval stand for. */
export const employeesOutcome = ({ inserted, updated, removed, setDigest }: EmployeeSetSummary): string =>
  `${inserted}-${updated}-${removed}-${setDigest}`;
