import { invitationCollections } from '@rollcall/application/read';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
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

/**
 * Which version of the projections this is, made from their compiled text: read models of another version are built anew, and
 * nobody has to think of it.
 */
export const projectionsVersion = (): string => {
  const hash = createHash('sha256');
  const folder = new URL('./', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  for (const name of files.sort()) hash.update(name).update(readFileSync(new URL(name, folder)));
  return hash.digest('hex').slice(0, 32);
};
