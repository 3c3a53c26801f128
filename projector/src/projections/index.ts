import type { AnyProjection } from '../projection.js';
import { apiCallAttempts, apiCalls } from './api-calls.js';
import { employees, employeeSets } from './employees.js';
import { invitationHolds, invitationProgress } from './invitations.js';
import { managerDepartments, managerRoles, managerSets, managerUsers } from './managers.js';
import { pendingImports } from './pending-imports.js';
import { companies, invitationTemplates, surveys } from './whole-documents.js';

/** All projections; in which order their documents are there is told by `stages`. */
export const projections: readonly AnyProjection[] = [
  companies,
  surveys,
  employees,
  employeeSets,
  managerUsers,
  managerDepartments,
  managerRoles,
  managerSets,
  pendingImports,
  invitationTemplates,
  invitationProgress,
  invitationHolds,
  apiCallAttempts,
  apiCalls,
];
