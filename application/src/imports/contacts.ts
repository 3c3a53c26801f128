import { type Digester, DigestTable } from '@rollcall/employee-lists';
import { foldEmail } from '@rollcall/employee-lists/text';
import type { ShownRow } from '../ports/imports.js';

const contacts = ['Email', 'Phonenumber'] as const;

interface Holder {
  readonly holder: number;
  readonly by: (typeof contacts)[number];
}

/** Who has which e-mail address and phone number, as keyed digests. Memory: 64 bytes for each holder. */
export class Contacts {
  readonly #digester: Digester;
  readonly #table: DigestTable;
  readonly #holders: Float64Array;
  readonly #words = new Uint32Array(4);

  constructor(digester: Digester, holders: number) {
    this.#digester = digester;
    this.#table = new DigestTable(holders * contacts.length);
    this.#holders = new Float64Array(holders * contacts.length);
  }

  add(values: ShownRow, holder: number): void {
    for (const by of contacts)
      if (this.#digest(by, values[by])) this.#holders[this.#table.insert(this.#words, 0)] = holder;
  }

  /** By address first. */
  holders(values: ShownRow): Holder[] {
    return contacts.flatMap((by) => {
      const index = this.#digest(by, values[by]) ? this.#table.find(this.#words, 0) : -1;
      return index < 0 ? [] : [{ holder: this.#holders[index] ?? 0, by }];
    });
  }

  #digest(by: Holder['by'], value: unknown): boolean {
    if (typeof value !== 'string') return false;
    this.#digester.idDigestOf(`${by} ${foldEmail(value)}`, this.#words, 0);
    return true;
  }
}
