import type {
  CompanySettings,
  DomainEventOf,
  ManagerRolesImported,
  ManagerRolesSummary,
} from '@rollcall/contracts';
import type { CompanySettingsState } from '../companies/index.js';
import { digestVersion } from '@rollcall/employee-lists';
import type { ImportManagerRoles } from './commands.js';
import { DepartmentPlan, planHierarchy } from './plan-departments.js';
import { planRoles } from './plan-roles.js';
import { planUsers } from './plan-users.js';
import type { ManagerImportRejection } from './rejections.js';
import type { ManagerRolesState } from './state.js';
import { type ManagerImport, validate } from './validate.js';

export interface ManagerImportState {
  readonly settings: CompanySettingsState;
  readonly managers: ManagerRolesState;
}

export type ManagerRolesEvent =
  DomainEventOf<'ManagerRolesImported'> | DomainEventOf<'ManagerRolesConfirmed'>;

export type ManagerImportDecision =
  | { readonly kind: 'events'; readonly events: readonly [ManagerRolesEvent] }
  | { readonly kind: 'refused'; readonly rejection: ManagerImportRejection };

const refused = (problems: readonly string[]): ManagerImportDecision => ({
  kind: 'refused',
  rejection: { reason: 'invalid', problems },
});

/**
 * Integration first, then the body (interface.md, "Import manager roles"). `ManagerRolesConfirmed`: nothing changes.
 * New users and departments are numbered in order of appearance, roles before the hierarchy.
 */
export function decide(command: ImportManagerRoles, state: ManagerImportState): ManagerImportDecision {
  const { settings } = state;
  if (settings.status === 'unconfigured' || !settings.settings.integrationEnabled)
    return { kind: 'refused', rejection: { reason: 'integration-not-allowed' } };
  const { reading } = command;
  if (reading.status === 'invalid') return refused(reading.problems);
  const validation = validate(reading.import, settings.settings);
  if (validation.status === 'invalid') return refused(validation.problems);
  const imported = importedRoles(command, validation.import, state.managers, settings.settings);
  return { kind: 'events', events: [eventOf(imported, state.managers)] };
}

function importedRoles(
  command: ImportManagerRoles,
  sent: ManagerImport,
  state: ManagerRolesState,
  settings: CompanySettings,
): ManagerRolesImported {
  const users = planUsers(sent.roles, state, command.digester);
  const departments = new DepartmentPlan(state);
  const roles = planRoles(sent.roles, users.numbers, departments, state.roles);
  const hierarchy = planHierarchy(sent.hierarchy, state, departments, settings);
  return {
    operationId: command.operationId,
    bodySha256: command.bodySha256,
    digestVersion,
    created: roles.enabled.length,
    disabled: roles.disabled.length,
    locked: users.locked.length,
    total: roles.total,
    lastUser: users.last,
    lastDepartment: departments.last,
    usersCreated: [...users.created],
    usersRenamed: [...users.renamed],
    usersLocked: [...users.locked],
    usersUnlocked: [...users.unlocked],
    departmentsCreated: [...departments.created],
    rolesEnabled: [...roles.enabled],
    rolesChanged: [...roles.changed],
    rolesDisabled: [...roles.disabled],
    hierarchy: [...hierarchy].map(([department, parent]) => ({ department, parent })),
    parentsRemoved: [...state.hierarchy.keys()].filter((division) => !hierarchy.has(division)),
  };
}

/** `ManagerRolesConfirmed` where it changes nothing. */
export function eventOf(imported: ManagerRolesImported, state: ManagerRolesState): ManagerRolesEvent {
  return changesNothing(imported, state)
    ? { name: 'ManagerRolesConfirmed', data: summaryOf(imported) }
    : { name: 'ManagerRolesImported', data: imported };
}

/** Locked and unlocked users have lost or got a role. */
function changesNothing(imported: ManagerRolesImported, { hierarchy }: ManagerRolesState): boolean {
  const { usersRenamed, departmentsCreated, rolesEnabled, rolesChanged, rolesDisabled, parentsRemoved } =
    imported;
  const lists = [usersRenamed, departmentsCreated, rolesEnabled, rolesChanged, rolesDisabled, parentsRemoved];
  return (
    lists.every(({ length }) => length === 0) &&
    imported.hierarchy.every(({ department, parent }) => hierarchy.get(department) === parent)
  );
}

const summaryOf = (imported: ManagerRolesImported): ManagerRolesSummary => ({
  operationId: imported.operationId,
  bodySha256: imported.bodySha256,
  digestVersion: imported.digestVersion,
  created: imported.created,
  disabled: imported.disabled,
  locked: imported.locked,
  total: imported.total,
  lastUser: imported.lastUser,
  lastDepartment: imported.lastDepartment,
});
