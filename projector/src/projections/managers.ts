import type { ManagerRolesImported } from '@rollcall/contracts';
import { fromJson, type ManagerSetDocument } from '@rollcall/application/read';
import type { DocumentChange } from '../document-changes.js';
import { companyOf, replaced, toJson, type Projection, type ReadEvent } from '../projection.js';

interface UserDocument {
  readonly Id: number;
  readonly FirstName: string;
  readonly LastName: string;
  readonly Email: string;
  readonly Locked: boolean;
}

interface DepartmentDocument {
  readonly Id: number;
  readonly DimensionName: string;
  readonly Name: string;
  readonly Type: string;
  readonly ParentId: number | null;
}

interface RoleDocument {
  readonly UserId: number;
  readonly PrimaryContact: boolean;
  readonly Enabled: boolean;
}

type Imported = ReadEvent<'ManagerRolesImported'>;

/** The stored document with some members replaced, where there is none from the beginning of one. */
const changed = <T>(
  [companyId, ...numbers]: readonly [number, ...number[]],
  first: T,
  change: Partial<T>,
): DocumentChange => ({
  key: [companyId, ...numbers],
  evolve: (stored) => ({ value: toJson({ ...first, ...(fromJson(stored) as T | undefined), ...change }) }),
});

/** `manager-users` [companyId, number] -> the element of GET managers. */
export const managerUsers: Projection = {
  collection: 'manager-users',
  changes: { ManagerRolesImported: (event) => userChanges(companyOf(event), event.data) },
};

function* userChanges(companyId: number, data: ManagerRolesImported): Generator<DocumentChange> {
  const user = (number: number, change: Partial<UserDocument>): DocumentChange => {
    const first = { Id: number, FirstName: '', LastName: '', Email: '', Locked: false };
    return changed([companyId, number], first, change);
  };
  for (const { number, values } of data.usersCreated) yield user(number, { ...values, Locked: false });
  for (const number of data.usersUnlocked) yield user(number, { Locked: false });
  // Whoever has other names stands in the import, and so is active after it.
  for (const { number, values } of data.usersRenamed) yield user(number, { ...values, Locked: false });
  for (const number of data.usersLocked) yield user(number, { Locked: true });
}

/** `manager-departments` [companyId, number]. */
export const managerDepartments: Projection = {
  collection: 'manager-departments',
  changes: { ManagerRolesImported: (event) => departmentChanges(companyOf(event), event.data) },
};

function* departmentChanges(companyId: number, data: ManagerRolesImported): Generator<DocumentChange> {
  const department = (number: number, change: Partial<DepartmentDocument>): DocumentChange => {
    const first = { Id: number, DimensionName: '', Name: '', Type: '', ParentId: null };
    return changed<DepartmentDocument>([companyId, number], first, change);
  };
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
  for (const { department, user, primaryContact } of [...data.rolesEnabled, ...data.rolesChanged]) {
    const document: RoleDocument = { UserId: user, PrimaryContact: primaryContact, Enabled: true };
    yield replaced([companyId, department, user], document);
  }
  for (const { department, user } of data.rolesDisabled) {
    const first: RoleDocument = { UserId: user, PrimaryContact: false, Enabled: false };
    yield changed([companyId, department, user], first, { Enabled: false });
  }
}

/** `manager-sets` [companyId] -> what is said of the whole; there behind all that it speaks of. */
export const managerSets: Projection = {
  collection: 'manager-sets',
  changes: {
    ManagerRolesImported: (event: Imported) => {
      const { total, lastUser, lastDepartment } = event.data;
      const document: ManagerSetDocument = { revision: event.revision, total, lastUser, lastDepartment };
      return [replaced([companyOf(event)], document)];
    },
  },
};
