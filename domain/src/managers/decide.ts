import {
  type CompanySettings,
  type ManagerRolesImported,
  type ManagerRolesSummary,
  ManagerImportBody,
} from '@rollcall/contracts';
import type { CompanySettingsState } from '../companies/index.js';
import type { EmployeeSetRejection } from '../employees/index.js';
import { digestVersion, type Digester } from '@rollcall/employee-lists';
import { DepartmentPlan, planHierarchy, planRoles, planUsers } from './plan.js';
import type { ManagerRolesEvent, ManagerRolesState } from './evolve.js';
import { type ManagerImport, validate, type ManagerImportReading, roleMembers } from './read-import.js';
import { type IgnoredFields, IgnoredNames, isArray, isObject } from '@rollcall/employee-lists/text';
import type { Events, Refused } from '../decision.js';

export interface ImportManagerRoles {
  readonly operationId: string;
  /** Of the unpacked body, hex. */
  readonly bodySha256: string;
  readonly reading: ManagerImportReading;
  readonly digester: Digester;
}

export interface ManagerImportState {
  readonly settings: CompanySettingsState;
  readonly managers: ManagerRolesState;
}

export type ManagerImportDecision = Events<readonly [ManagerRolesEvent]> | Refused<ManagerImportRejection>;

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

/** As of employees, without a batch limit. Of problems at most 20, and perhaps a last one that counts the rest. */
export type ManagerImportRejection = Exclude<EmployeeSetRejection, { reason: 'batch-limit-exceeded' }>;

/** docs/contract, "Managers", "400 body". */
export const refusalText = (texts: readonly string[]): string => texts.join('; ');

export interface ManagerImportCounts {
  readonly created: number;
  readonly disabled: number;
  readonly locked: number;
}

/** docs/contract, "Managers", "200 body". */
export const resultText = ({ created, disabled, locked }: ManagerImportCounts): string =>
  `Successfully created ${created}, disabled ${disabled} roles and locked ${locked} users.`;

interface ManagerImportRehearsal extends ManagerImportCounts {
  readonly event: ManagerRolesEvent;
  /** User numbers; the read models have their addresses. */
  readonly usersLocked: readonly number[];
  readonly usersUnlocked: readonly number[];
  readonly ignoredFields: IgnoredFields;
}

type ManagerRehearsalResult =
  | { readonly kind: 'rehearsed'; readonly rehearsal: ManagerImportRehearsal }
  | Refused<ManagerImportRejection>;

/** docs/contract, "Dry run". */
export function rehearse(command: ImportManagerRoles, state: ManagerImportState): ManagerRehearsalResult {
  const decision = decide(command, state);
  if (decision.kind === 'refused') return decision;
  return { kind: 'rehearsed', rehearsal: rehearsalOf(decision.events[0], ignoredFields(command.reading)) };
}

function rehearsalOf(event: ManagerRolesEvent, ignored: IgnoredFields): ManagerImportRehearsal {
  const { name, data } = event;
  const { created, disabled, locked } = data;
  const users =
    name === 'ManagerRolesImported'
      ? { usersLocked: data.usersLocked, usersUnlocked: data.usersUnlocked }
      : { usersLocked: [], usersUnlocked: [] };
  return { event, created, disabled, locked, ...users, ignoredFields: ignored };
}

const importMembers: ReadonlySet<string> = new Set(Object.keys(ManagerImportBody.properties));

/** Of the body and its entries. */
export function ignoredFields(reading: ManagerImportReading): IgnoredFields {
  if (reading.status === 'invalid') return {};
  const { members } = reading.import;
  const names = new IgnoredNames();
  const count = (each: object, known: ReadonlySet<string>): void => {
    for (const name of Object.keys(each)) if (!known.has(name)) names.add(name);
  };
  count(members, importMembers);
  const roles = members['ManagerRoles'];
  if (isArray(roles)) for (const role of roles) if (isObject(role)) count(role, roleMembers);
  return names.counts();
}
