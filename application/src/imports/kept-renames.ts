import { emailDigest, type KnownEmail, type KnownEmails, valuesDigestAt } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import type { EmployeeSet } from '@rollcall/employee-lists/set';
import type { FindRows } from '../ports/imports.js';
import { type EmployeeDifference, knownRows } from './employee-preview.js';

/** An import with `Renames=keep` cannot be decided on this set before `of` are looked up. */
export class EmailsNeeded extends Error {
  override readonly name = 'EmailsNeeded';
  readonly set: EmployeeSet;
  /** Indexes in the set. */
  readonly of: Uint32Array;

  constructor(set: EmployeeSet, of: Uint32Array) {
    super('the addresses of those who leave are not looked up yet');
    this.set = set;
    this.of = of;
  }
}

/** Addresses of those who leave, from the read models; each counts with the values that the set has. */
export class EmailLookUp {
  readonly #known = new Map<number, KnownEmail>();
  readonly #digester: Digester;

  constructor(digester: Digester) {
    this.#digester = digester;
  }

  get known(): KnownEmails {
    return this.#known;
  }

  /** `ReadModelsUnavailable` where the read models do not show them yet. */
  async add({ set, of }: EmailsNeeded, companyId: number, findRows: FindRows): Promise<void> {
    const find: EmployeeDifference['find'] = (numbers) => findRows('employees', companyId, numbers);
    for await (const batch of knownRows({ set, digester: this.#digester, find }, of))
      for (const { at, number, values } of batch) {
        const email = emailDigest(values.Email, this.#digester);
        this.#known.set(number, { email, digest: valuesDigestAt(set, of[at] ?? 0) });
      }
  }
}
