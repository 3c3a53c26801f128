import { hash } from 'node:crypto';
import type { ManagerRolesEvent } from '../managers/decide.js';

/** As `employeesOutcome`. */
export const managersOutcome = ({ name, data }: ManagerRolesEvent): string =>
  hash('sha256', JSON.stringify({ ...data, name, operationId: '' }), 'hex').slice(0, 32);
