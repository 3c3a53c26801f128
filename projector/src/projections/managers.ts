import type { ManagerRolesImported } from '@rollcall/contracts';
import { fromJson, toJson, type DocumentKey, type ManagerSetDocument } from '@rollcall/application/read';
import { companyOf, replaced, type Projection, type ReadEvent } from '../projection.js';
import { type DocumentChange } from '../document-changes.js';

const newUser = { FirstName: '', LastName: '', Email: '', Locked: false };
const newDepartment = { DimensionName: '', Name: '', Type: '' };
type DepartmentChange = Partial<typeof newDepartment> & { readonly ParentId?: number | null };

/** Replaces members of the stored document, or of `first`. */
const changed = (key: DocumentKey, first: object, change: object): DocumentChange => ({
  key,
  evolve: (stored) => ({
    value: toJson({ ...first, ...(fromJson(stored) as object | undefined), ...change }),
  }),
});

/** `manager-users` [companyId, number] -> the element of GET managers. */
export const managerUsers: Projection = {
  collection: 'manager-users',
  changes: { ManagerRolesImported: (event) => userChanges(companyOf(event), event.data) },
};

function* userChanges(companyId: number, data: ManagerRolesImported): Generator<DocumentChange> {
  const user = (number: number, change: Partial<typeof newUser>): DocumentChange =>
    changed([companyId, number], { Id: number, ...newUser }, change);
  for (const { number, values } of [...data.usersCreated, ...data.usersRenamed]) yield user(number, values);
  for (const number of data.usersUnlocked) yield user(number, { Locked: false });
  for (const number of data.usersLocked) yield user(number, { Locked: true });
}

/** `manager-departments` [companyId, number]. */
export const managerDepartments: Projection = {
  collection: 'manager-departments',
  changes: { ManagerRolesImported: (event) => departmentChanges(companyOf(event), event.data) },
};

function* departmentChanges(companyId: number, data: ManagerRolesImported): Generator<DocumentChange> {
  const department = (number: number, change: DepartmentChange): DocumentChange =>
    changed([companyId, number], { Id: number, ...newDepartment, ParentId: null }, change);
  for (const { number, dimension, name, type } of data.departmentsCreated)
    yield department(number, { DimensionName: dimension, Name: name, Type: type, ParentId: null });
  for (const { department: number, parent } of data.hierarchy) yield department(number, { ParentId: parent });
  for (const number of data.parentsRemoved) yield department(number, { ParentId: null });
}

/** `manager-roles` [companyId, department, user], disabled ones too. */
export const managerRoles: Projection = {
  collection: 'manager-roles',
  changes: { ManagerRolesImported: (event) => roleChanges(companyOf(event), event.data) },
};

function* roleChanges(companyId: number, data: ManagerRolesImported): Generator<DocumentChange> {
  for (const { department, user, primaryContact } of [...data.rolesEnabled, ...data.rolesChanged])
    yield replaced([companyId, department, user], {
      UserId: user,
      PrimaryContact: primaryContact,
      Enabled: true,
    });
  for (const { department, user } of data.rolesDisabled) {
    const first = { UserId: user, PrimaryContact: false, Enabled: false };
    yield changed([companyId, department, user], first, { Enabled: false });
  }
}

/** `manager-sets` [companyId]: written after everything that it describes. */
export const managerSets: Projection = {
  collection: 'manager-sets',
  changes: {
    ManagerRolesImported: (event: ReadEvent<'ManagerRolesImported'>) => {
      const { total, lastUser, lastDepartment } = event.data;
      const document: ManagerSetDocument = { revision: event.revision, total, lastUser, lastDepartment };
      return [replaced([companyOf(event)], document)];
    },
  },
};
