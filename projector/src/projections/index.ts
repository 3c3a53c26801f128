import { invitationCollections } from '@rollcall/application/read';
import type { Projection } from '../projection.js';
import { apiCalls } from './api-calls.js';
import { companies } from './companies.js';
import { employees } from './employees.js';
import { invitationTemplates } from './invitation-templates.js';
import { invitations } from './invitations.js';
import { managers } from './managers.js';
import { pendingImports } from './pending-imports.js';
import { surveys } from './surveys.js';

/** All projections, in the order in which they see an event: the ApiCalls row comes last, so that it promises the rest. */
export const projections: readonly Projection[] = [
  companies,
  surveys,
  employees,
  managers,
  pendingImports,
  invitationTemplates,
  invitations,
  apiCalls,
];

/** The collections that they write. */
export const collections: readonly string[] = [
  'companies',
  'surveys',
  'employees',
  'employee-order',
  'employee-sets',
  'manager-users',
  'manager-departments',
  'manager-roles',
  'manager-sets',
  'pending-imports',
  ...Object.values(invitationCollections),
  'api-calls',
];
