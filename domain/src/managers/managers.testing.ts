import type { CompanySettings, ManagerRolesImported } from '@rollcall/contracts';
import { defaultSettings } from '../companies/index.js';
import { rejectionTexts } from '../employees/index.js';
import { Digester } from '@rollcall/employee-lists';
import {
  type ImportManagerRoles,
  decide,
  type ManagerImportDecision,
  type ManagerImportState,
  refusalText,
} from './decide.js';
import { evolve, initialState, type ManagerRolesState } from './evolve.js';
import { readManagerImport } from './read-import.js';

const digester = new Digester(Uint8Array.from({ length: 32 }, (_, at) => at));

/** Departments, divisions of two dimensions, projects; hierarchy import enabled. */
export const settings: CompanySettings = {
  ...defaultSettings(7),
  integrationEnabled: true,
  hierarchyEnabled: true,
  departmentDimensions: ['Department'],
  divisionDimensions: ['Division', 'Region'],
  projectDimensions: ['Project'],
};

export const company = (
  changes: Partial<CompanySettings> = {},
  managers: ManagerRolesState = initialState(),
): ManagerImportState => ({
  settings: { status: 'configured', companyId: 7, settings: { ...settings, ...changes } },
  managers,
});

export const command = (body: unknown): ImportManagerRoles => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    operationId: '019aa2f0-5c00-7000-8000-000000000001',
    bodySha256: 'a'.repeat(64),
    reading: readManagerImport(bytes),
    digester,
  };
};

/** The decision about a body: a value that is sent as JSON, or text as it is. */
export const when = (state: ManagerImportState, body: unknown): ManagerImportDecision =>
  decide(command(body), state);

export function after(state: ManagerImportState, decision: ManagerImportDecision): ManagerImportState {
  if (decision.kind === 'refused') throw new Error(refusalText(rejectionTexts(decision.rejection)));
  return { ...state, managers: decision.events.reduce(evolve, state.managers) };
}

/** The state after these bodies, one after the other. */
export const given = (state: ManagerImportState, ...bodies: readonly unknown[]): ManagerImportState =>
  bodies.reduce<ManagerImportState>((current, body) => after(current, when(current, body)), state);

/** An entry of ManagerRoles: `Ada` leads the department `Cranes`. */
export const role = (DepartmentName: string, FirstName: string, more: object = {}): object => ({
  DimensionName: 'Department',
  DepartmentName,
  FirstName,
  LastName: 'Example',
  Email: `${FirstName.toLowerCase()}@example.com`,
  ...more,
});

export const roles = (...ManagerRoles: readonly object[]): object => ({ ManagerRoles });

/** The event's lists in words, and the counts; `confirmed`; or the text of a refusal. */
export function outcome(decision: ManagerImportDecision): readonly string[] | string {
  if (decision.kind === 'refused') return refusalText(rejectionTexts(decision.rejection));
  const [event] = decision.events;
  if (event.name === 'ManagerRolesConfirmed') return 'confirmed';
  const { created, disabled, locked } = event.data;
  return [...changes(event.data), `${created} created, ${disabled} disabled, ${locked} locked`];
}

/** The same of one kind only. */
export const outcomeOf = (decision: ManagerImportDecision, kind: string): readonly string[] | string => {
  const lines = outcome(decision);
  return typeof lines === 'string' ? lines : lines.filter((line) => line.startsWith(kind));
};

const contact = (primary: boolean): string => (primary ? ', primary contact' : '');

const changes = (data: ManagerRolesImported): string[] => [
  ...data.usersCreated.map(
    ({ number, values: { Email, FirstName, LastName } }) =>
      `user ${number} created: ${Email}, ${FirstName} ${LastName}`,
  ),
  ...data.usersRenamed.map(
    ({ number, values }) => `user ${number} renamed: ${values.FirstName} ${values.LastName}`,
  ),
  ...data.usersLocked.map((number) => `user ${number} locked`),
  ...data.usersUnlocked.map((number) => `user ${number} unlocked`),
  ...data.departmentsCreated.map(
    ({ number, type, dimension, name }) => `department ${number} created: ${type}, ${dimension}, ${name}`,
  ),
  ...data.rolesEnabled.map(
    ({ department, user, primaryContact }) => `role ${department}/${user} enabled${contact(primaryContact)}`,
  ),
  ...data.rolesChanged.map(
    ({ department, user, primaryContact }) => `role ${department}/${user} changed${contact(primaryContact)}`,
  ),
  ...data.rolesDisabled.map(({ department, user }) => `role ${department}/${user} disabled`),
  ...data.hierarchy.map(({ department, parent }) => `parent of ${department} is ${parent}`),
  ...data.parentsRemoved.map((department) => `parent of ${department} removed`),
];
