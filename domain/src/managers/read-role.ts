import { ManagerRoleBody } from '@rollcall/contracts';
import {
  isAbsent,
  isObject,
  type JsonObject,
  type Report,
  isBlank,
  isLongerThan,
  isEmailAddress,
  maxEmailLength,
} from '@rollcall/employee-lists/text';
import type { Dimension, Dimensions } from './dimensions.js';
import { maxNameLength } from './limits.js';

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

/** Undefined after a reported problem. */
export function readRole(
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
  if (dimension === undefined || entry.isWrong) return undefined;
  return { dimension, department, firstName, lastName, email, primaryContact };
}

/** Problems are reported and read as empty. */
class Entry {
  readonly #members: JsonObject;
  readonly #path: string;
  readonly #report: Report;
  isWrong = false;

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
    this.isWrong = true;
    this.#report(`${this.#path}.${problem}`);
  }
}
