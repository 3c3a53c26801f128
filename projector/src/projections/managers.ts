import { eventData, type DocumentWrite } from '@rollcall/application/read';
import type { ManagerRolesImported } from '@rollcall/contracts';
import { companyOf, type Projection, toJson } from '../projection.js';

/** Documents in one part. */
const partWrites = 4_000;

/**
 * `manager-users` [companyId, number] -> the element of GET managers; `manager-departments` [companyId, number];
 * `manager-roles` [companyId, department, user], disabled ones too; `manager-sets` [companyId] -> what is said of the
 * whole. Users and departments come before the roles that name them, the set last.
 */
export const managers: Projection = {
  ManagerRolesImported: async function* (event) {
    const companyId = companyOf(event);
    const data = await eventData(event, 'ManagerRolesImported');
    const { total, lastUser, lastDepartment } = data;
    let part: DocumentWrite[] = [];
    for (const write of documentWrites(companyId, data)) {
      if (part.push(write) < partWrites) continue;
      yield part;
      part = [];
    }
    const set = { revision: event.revision, total, lastUser, lastDepartment };
    yield [...part, { op: 'put', collection: 'manager-sets', key: [companyId], json: toJson(set) }];
  },
};

function* documentWrites(companyId: number, data: ManagerRolesImported): Generator<DocumentWrite> {
  yield* userWrites(companyId, data);
  yield* departmentWrites(companyId, data);
  yield* roleWrites(companyId, data);
}

interface UserDocument {
  readonly Id: number;
  readonly FirstName?: string;
  readonly LastName?: string;
  readonly Email?: string;
  readonly Locked: boolean;
}

/** Members that the document lacks are those that are stored; their places are kept for them. */
function userWrite(companyId: number, document: UserDocument): DocumentWrite {
  const keep = (['FirstName', 'LastName', 'Email'] as const).filter((name) => document[name] === undefined);
  const { Id, FirstName = '', LastName = '', Email = '', Locked } = document;
  const json = toJson({ Id, FirstName, LastName, Email, Locked });
  return { op: 'put', collection: 'manager-users', key: [companyId, Id], json, keep };
}

function* userWrites(companyId: number, data: ManagerRolesImported): Generator<DocumentWrite> {
  for (const { number, values } of data.usersCreated)
    yield userWrite(companyId, { Id: number, ...values, Locked: false });
  for (const number of data.usersUnlocked) yield userWrite(companyId, { Id: number, Locked: false });
  // Whoever has other names stands in the import, and so is active after it.
  for (const { number, values } of data.usersRenamed)
    yield userWrite(companyId, { Id: number, ...values, Locked: false });
  for (const number of data.usersLocked) yield userWrite(companyId, { Id: number, Locked: true });
}

function* departmentWrites(companyId: number, data: ManagerRolesImported): Generator<DocumentWrite> {
  const write = (number: number, members: object, keep: readonly string[]): DocumentWrite => {
    const json = toJson({ Id: number, ...members });
    return { op: 'put', collection: 'manager-departments', key: [companyId, number], json, keep };
  };
  for (const { number, dimension, name, type } of data.departmentsCreated)
    yield write(number, { DimensionName: dimension, Name: name, Type: type, ParentId: null }, []);
  const kept = { DimensionName: '', Name: '', Type: '' };
  for (const { department, parent } of data.hierarchy)
    yield write(department, { ...kept, ParentId: parent }, Object.keys(kept));
  for (const number of data.parentsRemoved)
    yield write(number, { ...kept, ParentId: null }, Object.keys(kept));
}

function* roleWrites(companyId: number, data: ManagerRolesImported): Generator<DocumentWrite> {
  for (const { department, user, primaryContact } of [...data.rolesEnabled, ...data.rolesChanged]) {
    const json = toJson({ UserId: user, PrimaryContact: primaryContact, Enabled: true });
    yield { op: 'put', collection: 'manager-roles', key: [companyId, department, user], json };
  }
  for (const { department, user } of data.rolesDisabled) {
    const json = toJson({ UserId: user, PrimaryContact: false, Enabled: false });
    const key = [companyId, department, user] as const;
    yield { op: 'put', collection: 'manager-roles', key, json, keep: ['PrimaryContact'] };
  }
}
