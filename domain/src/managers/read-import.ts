import {
  isArray,
  isObject,
  type JsonObject,
  describeJsonProblem,
  parseStrictJson,
  type Report,
  foldCase,
  isAbsent,
  isBlank,
  isLongerThan,
  isEmailAddress,
  maxEmailLength,
} from '@rollcall/employee-lists/text';
import { maxProblems, maxNameLength, type DivisionSent, readHierarchy } from './read-hierarchy.js';
import { type CompanySettings, type DepartmentType, ManagerRoleBody } from '@rollcall/contracts';

interface SentManagerImport {
  readonly members: JsonObject;
}

export type ManagerImportReading =
  | {
      readonly status: 'valid';
      readonly import: SentManagerImport;
      readonly elements: number;
    }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

export function readManagerImport(body: Uint8Array): ManagerImportReading {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return { status: 'invalid', problems: [describeJsonProblem(parsed.problem)] };
  const members = parsed.value;
  if (!isObject(members))
    return { status: 'invalid', problems: ['The body must be an object with ManagerRoles'] };
  const roles = members['ManagerRoles'];
  return { status: 'valid', import: { members }, elements: isArray(roles) ? roles.length : 0 };
}

/** The first problems and the number of the rest (docs/contract, "Managers", "400 body"). */
class ProblemList {
  readonly #texts: string[] = [];
  #count = 0;

  readonly report: Report = (problem) => {
    if (this.#count++ < maxProblems) this.#texts.push(problem);
  };

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  texts(): readonly string[] {
    const more = this.#count - this.#texts.length;
    return more > 0 ? [...this.#texts, `and ${more} more`] : [...this.#texts];
  }
}

export interface Dimension {
  readonly type: DepartmentType;
  readonly name: string;
}

const maxShownNames = 20;

/** Case-insensitive (interface.md, "ManagerRole"); the company's settings repeat no name. */
class Dimensions {
  readonly #byName = new Map<string, Dimension>();
  readonly rule: string;

  constructor({ departmentDimensions, divisionDimensions, projectDimensions }: CompanySettings) {
    this.#add('department', departmentDimensions);
    this.#add('division', divisionDimensions);
    this.#add('project', projectDimensions);
    this.rule = `must be ${this.#choice()}`;
  }

  find(name: string): Dimension | undefined {
    return this.#byName.get(foldCase(name));
  }

  #add(type: DepartmentType, names: readonly string[]): void {
    for (const name of names) this.#byName.set(foldCase(name), { type, name });
  }

  #choice(): string {
    const names = [...this.#byName.values()].map(({ name }) => name);
    if (names.length === 0)
      return 'a department, division or project dimension of the company, which has none configured';
    const more = names.length > maxShownNames ? ` and ${names.length - maxShownNames} more` : '';
    return `one of the company's dimensions: ${names.slice(0, maxShownNames).join(', ')}${more}`;
  }
}

export interface RoleSent {
  readonly dimension: Dimension;
  readonly department: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly primaryContact: boolean;
}

/** interface.md, "ManagerRole". */
export const roleMembers: ReadonlySet<string> = new Set(Object.keys(ManagerRoleBody.properties));

/** Undefined after a problem of the dimension. */
function readRole(
  value: unknown,
  path: string,
  dimensions: Dimensions,
  report: Report,
): RoleSent | undefined {
  if (!isObject(value)) {
    report(`${path} must be an object`);
    return undefined;
  }
  const entry = new Entry(value, path, report);
  const dimension = entry.dimension(dimensions);
  const department = entry.text('DepartmentName');
  const firstName = entry.text('FirstName');
  const lastName = entry.text('LastName');
  const email = entry.email();
  const primaryContact = entry.flag('PrimaryContact');
  if (dimension === undefined) return undefined;
  return { dimension, department, firstName, lastName, email, primaryContact };
}

/** Problems are reported and read as empty. */
class Entry {
  readonly #members: JsonObject;
  readonly #path: string;
  readonly #report: Report;

  constructor(members: JsonObject, path: string, report: Report) {
    this.#members = members;
    this.#path = path;
    this.#report = report;
  }

  text(name: string): string {
    const value = this.#required(name);
    if (value === undefined) return '';
    if (isLongerThan(value, maxNameLength))
      this.#wrong(`${name} must be at most ${maxNameLength} characters`);
    return value;
  }

  dimension(dimensions: Dimensions): Dimension | undefined {
    const value = this.#required('DimensionName');
    if (value === undefined) return undefined;
    const dimension = dimensions.find(value);
    if (dimension === undefined) this.#wrong(`DimensionName ${dimensions.rule}`);
    return dimension;
  }

  email(): string {
    const value = this.#required('Email');
    if (value === undefined) return '';
    if (!isEmailAddress(value))
      this.#wrong(`Email must be a valid e-mail address of at most ${maxEmailLength} characters`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#members[name];
    if (!isAbsent(value) && typeof value !== 'boolean') this.#wrong(`${name} must be true or false`);
    return value === true;
  }

  #required(name: string): string | undefined {
    const value = this.#members[name];
    if (isAbsent(value)) this.#wrong(`${name} is required`);
    else if (typeof value !== 'string') this.#wrong(`${name} must be a string`);
    else if (isBlank(value)) this.#wrong(`${name} must not be blank`);
    else return value;
    return undefined;
  }

  #wrong(problem: string): void {
    this.#report(`${this.#path}.${problem}`);
  }
}

export interface ManagerImport {
  readonly roles: readonly RoleSent[];
  /** null: the hierarchy stays. */
  readonly hierarchy: readonly DivisionSent[] | null;
}

type ManagerImportValidation =
  | { readonly status: 'valid'; readonly import: ManagerImport }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** Checks what does not depend on the roles in force (docs/contract, "Managers"). Names path and rule, no value. Linear. */
export function validate(sent: SentManagerImport, settings: CompanySettings): ManagerImportValidation {
  const problems = new ProblemList();
  const { ManagerRoles, DepartmentHierarchy } = sent.members;
  const roles = readRoles(ManagerRoles, new Dimensions(settings), problems.report);
  const hierarchy = settings.hierarchyEnabled ? readHierarchy(DepartmentHierarchy, problems.report) : null;
  if (hierarchy !== null && hierarchy.length > 0 && settings.divisionDimensions.length === 0)
    problems.report('DepartmentHierarchy needs a division dimension; the company has none configured');
  return problems.isEmpty
    ? { status: 'valid', import: { roles, hierarchy } }
    : { status: 'invalid', problems: problems.texts() };
}

function readRoles(value: unknown, dimensions: Dimensions, report: Report): readonly RoleSent[] {
  if (!isArray(value)) {
    report(isAbsent(value) ? 'ManagerRoles is required' : 'ManagerRoles must be an array');
    return [];
  }
  const roles: RoleSent[] = [];
  value.forEach((entry, at) => {
    const role = readRole(entry, `ManagerRoles[${at}]`, dimensions, report);
    if (role !== undefined) roles.push(role);
  });
  return roles;
}
