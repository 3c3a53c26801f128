import {
  emailDigest,
  type KnownEmail,
  type KnownEmails,
  valuesDigestAt,
  valuesInForce,
} from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import type { EmployeeSet } from '@rollcall/employee-lists/set';
import { ReadModelsUnavailable } from '../ports/read-models.js';
import type { FindRows } from '../ports/imports.js';

const rowsTogether = 512;

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
    for (let from = 0; from < of.length; from += rowsTogether) {
      const indexes = of.subarray(from, from + rowsTogether);
      const numbers = Array.from(indexes, (index) => set.numbers[index] ?? 0);
      const rows = await findRows('employees', companyId, numbers);
      indexes.forEach((index, at) => this.#add(set, index, rows[at]));
    }
  }

  #add(set: EmployeeSet, index: number, row: unknown): void {
    const number = set.numbers[index] ?? 0;
    const values = valuesInForce(set, this.#digester, number, row);
    if (!values) throw new ReadModelsUnavailable('The read models do not show the current employees yet');
    const email = emailDigest(values.Email, this.#digester);
    this.#known.set(number, { email, digest: valuesDigestAt(set, index) });
  }
}
