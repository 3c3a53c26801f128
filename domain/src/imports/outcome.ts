import { hash } from 'node:crypto';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import type { ManagerRolesEvent } from '../managers/decide.js';

/** Equal where two decisions on one set come to the same change: what a preview and an approval stand for. */
export const employeesOutcome = ({ inserted, updated, removed, setDigest }: EmployeeSetSummary): string =>
  `${inserted}-${updated}-${removed}-${setDigest}`;

export const managersOutcome = ({ name, data }: ManagerRolesEvent): string =>
  hash('sha256', JSON.stringify({ ...data, name, operationId: '' }), 'hex').slice(0, 32);
