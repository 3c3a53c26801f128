import type { ReadModelReader } from '@rollcall/application';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { countedRows } from '../http/counted-reads.js';
import { jsonArray, type JsonTexts, textsOf, valuesOf } from '../http/json-array.js';

const RoleDocument = Type.Object({
  UserId: Type.Integer(),
  PrimaryContact: Type.Boolean(),
  Enabled: Type.Boolean(),
});
const DepartmentDocument = Type.Object({
  Id: Type.Integer(),
  DimensionName: Type.String(),
  Name: Type.String(),
  ParentId: Type.Union([Type.Integer(), Type.Null()]),
});
type Department = Static<typeof DepartmentDocument>;
interface Role extends Static<typeof RoleDocument> {
  readonly department: number;
}
type Departments = ReadonlyMap<number, Department>;

const rowsPerChunk = 500;

/** Reads roles first: users and departments are written before their roles and never deleted. */
export async function* managersText(
  readModels: ReadModelReader,
  companyId: number,
  report: (users: number) => void,
): AsyncGenerator<Buffer> {
  const roles = await rolesOf(readModels, companyId);
  const departments = await departmentsOf(readModels, companyId);
  yield Buffer.from('{"Users":');
  const users = readModels.findBatches('manager-users', { prefix: [companyId] });
  yield* jsonArray(countedRows(valuesOf(users), report));
  yield Buffer.from(',"Roles":');
  yield* jsonArray(runs(roles, (role) => roleRow(role, departments)));
  yield Buffer.from(',"Departments":');
  yield* jsonArray(runs(departments.values(), (department) => departmentRow(department, departments)));
  yield Buffer.from('}');
}

/** The parser throws where the read model has another shape: a bug. */
function parserOf<T extends TSchema>(schema: T, collection: string): (json: Uint8Array) => Static<T> {
  const checker = Compile(schema);
  return (json) => {
    const document: unknown = JSON.parse(Buffer.from(json).toString());
    if (!checker.Check(document))
      throw new Error(`a document of the collection ${collection} has another shape`);
    return document;
  };
}

const parseRole = parserOf(RoleDocument, 'manager-roles');
const parseDepartment = parserOf(DepartmentDocument, 'manager-departments');

async function rolesOf(readModels: ReadModelReader, companyId: number): Promise<Role[]> {
  const roles: Role[] = [];
  for await (const batch of readModels.findBatches('manager-roles', { prefix: [companyId] })) {
    for (const { key, value } of batch) roles.push({ department: Number(key[1]), ...parseRole(value) });
  }
  return roles;
}

async function departmentsOf(readModels: ReadModelReader, companyId: number): Promise<Departments> {
  const departments = new Map<number, Department>();
  for await (const batch of readModels.findBatches('manager-departments', { prefix: [companyId] })) {
    for (const { value } of batch) {
      const department = parseDepartment(value);
      departments.set(department.Id, department);
    }
  }
  return departments;
}

function roleRow({ department, UserId, PrimaryContact, Enabled }: Role, departments: Departments): object {
  const { DimensionName, Name } = found(departments, department);
  return { UserId, DimensionName, DepartmentName: Name, PrimaryContact, Enabled };
}

function departmentRow({ Id, DimensionName, Name, ParentId }: Department, departments: Departments): object {
  const Parent = ParentId === null ? null : found(departments, ParentId).Name;
  return { Id, DimensionName, Name, Parent };
}

function found(departments: Departments, number: number): Department {
  const department = departments.get(number);
  if (department === undefined) throw new Error(`department ${number} is missing in the read models`);
  return department;
}

function* runs<T>(rows: Iterable<T>, shape: (row: T) => object): Generator<JsonTexts> {
  const all = [...rows];
  for (let from = 0; from < all.length; from += rowsPerChunk)
    yield textsOf(all.slice(from, from + rowsPerChunk), (row) => Buffer.from(JSON.stringify(shape(row))));
}
