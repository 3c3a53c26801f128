import { asBuffer } from '../event-store/linked-events.js';
import type { Digester } from '@rollcall/employee-lists';
import { foldEmail } from '@rollcall/employee-lists/text';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import { numbersOfId } from '../read-models/employee-changes.js';
import { takeBlocks, readEmployeeSet, readRows } from '../read-models/employee-rows.js';
import { hasLeft, rowsOf, recordText } from '../read-models/row-blocks.js';

export interface FoundPerson {
  readonly number: number;
  readonly employeeId: string;
  readonly name: string;
  readonly hasLeft: boolean;
}

interface Row {
  readonly Id: number;
  readonly EmployeeID: string;
  readonly Firstname?: string;
  readonly Lastname?: string;
  readonly Email?: string;
}

/**
 * Present employees of a company with this e-mail address, name or EmployeeID, as the read models show them. Looks through the text of
 * all blocks, and reads the rows of those that hold what is sought.
 */
export async function findPeople(
  readModels: Pick<ReadModelReader, 'getMany'>,
  companyId: number,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<readonly FoundPerson[]> {
  const set = await readEmployeeSet(readModels, companyId);
  if (set === undefined) return [];
  const sought = new Sought(text);
  const found = new Map<number, FoundPerson>();
  const hit = new Set<number>();
  const reading = takeBlocks(
    readModels,
    set,
    set.blocks.map((_, block) => block),
    (bytes, block) => {
      // What has changed in a block comes behind it.
      if (!hit.has(block) && !sought.mayBeIn(bytes)) return;
      hit.add(block);
      for (const { number, row } of rowsOf(bytes, block)) {
        const person = hasLeft(row) ? undefined : sought.personIn(row);
        if (person === undefined) found.delete(number);
        else found.set(number, person);
      }
    },
  );
  while ((await reading.next()).done !== true && found.size < limit);
  await reading.return(undefined);
  return [...found.values()].slice(0, limit);
}

/** Those who had this EmployeeID, as it was written, and have left, or have another. Only the log keeps names of those who have left. */
export async function findFormer(
  readModels: Pick<ReadModelReader, 'findBatches' | 'get' | 'getMany'>,
  digester: Digester,
  companyId: number,
  employeeId: string,
): Promise<readonly FoundPerson[]> {
  const words = new Uint32Array(4);
  digester.idDigestOf(employeeId, words, 0);
  const numbers = await numbersOfId(readModels, companyId, words[0] ?? 0);
  const rows = await readRows(readModels, companyId, numbers);
  return numbers.flatMap((number, at) => {
    const row = fromJson(rows[at]) as Row | undefined;
    if (row === undefined) return [{ number, employeeId, name: `Employee ${number}`, hasLeft: true }];
    return folded(row.EmployeeID) === folded(employeeId) ? [] : [personOf(row)];
  });
}

const personOf = ({ Id, EmployeeID, Firstname = '', Lastname = '' }: Row): FoundPerson => ({
  ...{ number: Id, employeeId: EmployeeID, name: `${Firstname} ${Lastname}`.trim(), hasLeft: false },
});

const folded = (text: string): string => foldEmail(text).normalize('NFC');
const longest = (words: readonly string[]): string =>
  words.reduce((one, other) => (other.length > one.length ? other : one));

class Sought {
  readonly #text: string;
  readonly #words: readonly string[];
  readonly #marks: readonly string[];
  readonly #encoding: 'latin1' | 'utf8';

  constructor(text: string) {
    this.#text = folded(text.trim());
    this.#words = this.#text.split(/\s+/);
    // Without what a block writes in another way: JSON escapes, and the final sigma.
    const mark = longest(longest(this.#words).split(/[σ"\\]/));
    this.#marks = [...new Set([mark, mark.normalize('NFD')])];
    this.#encoding = /^[ -~]*$/.test(mark) ? 'latin1' : 'utf8';
  }

  mayBeIn(bytes: Uint8Array): boolean {
    const rows = asBuffer(bytes);
    const text = rows.toString(this.#encoding).toLowerCase();
    return this.#marks.some((mark) => text.includes(mark));
  }

  personIn(row: Uint8Array): FoundPerson | undefined {
    const known = fromJson(recordText(row)) as Row;
    const person = personOf(known);
    const whole = [known.EmployeeID, known.Email ?? ''].map(folded);
    const words = person.name.split(/\s+/).map(folded);
    const isFound = whole.includes(this.#text) || this.#words.every((word) => words.includes(word));
    return isFound ? person : undefined;
  }
}
