import type { AnyProjection } from '../projection.js';
import { apiCallAttempts, apiCalls, pendingImports } from './api-calls.js';
import { employees } from './employees.js';
import { invitationHolds, invitationProgress } from './invitations.js';
import { managerDepartments, managerRoles, managerSets, managerUsers } from './managers.js';
import { companies, invitationTemplates, surveys } from './whole-documents.js';

export const projections: readonly AnyProjection[] = [
  companies,
  surveys,
  employees,
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
