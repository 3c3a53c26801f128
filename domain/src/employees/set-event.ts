import type { EmployeeSetSummary, EmployeeValues } from '@rollcall/contracts';
import { bytesOf, ByteWriter } from './byte-writer.js';
import type { EmployeeSetChange } from './diff.js';
import { ElementReader } from './element-reader.js';
import { maxPlainBytes } from './employee-list.js';
import type { EmployeeList } from './list-builder.js';
import { field } from './fields.js';
import { writePlainValues } from './plain-values.js';
import { readElement } from './list-elements.js';
import { isComplete } from './read-employee.js';
import type { EmployeeSet } from './set-state.js';
import { valuesText, withoutInvitationDate } from './values.js';

/** When a new employee is invited: ISO 8601 UTC, or null; the argument is the InvitationDate as sent. */
export type InvitationPlan = (invitationDate?: string) => string | null;

const flushAt = 128 * 1024;
const bufferBytes = flushAt + maxPlainBytes + 1024;

const text = {
  number: bytesOf('{"number":'),
  idDigest: bytesOf(',"idDigest":"'),
  digest: bytesOf('","digest":"'),
  digestOfChanged: bytesOf(',"digest":"'),
  due: bytesOf('","invitationDue":'),
  values: bytesOf(',"values":'),
};

interface ReplacementParts {
  readonly summary: EmployeeSetSummary;
  readonly list: EmployeeList;
  readonly set: EmployeeSet;
  readonly change: EmployeeSetChange;
  readonly plan: InvitationPlan;
}

/** Writes the JSON text of `EmployeeSetReplaced` chunk by chunk, straight from the bytes of the body. */
class ReplacementWriter {
  readonly #parts: ReplacementParts;
  readonly #reader: ElementReader;
  readonly #out = new ByteWriter(new Uint8Array(bufferBytes));
  #first = true;

  constructor(parts: ReplacementParts) {
    this.#parts = parts;
    this.#reader = new ElementReader(parts.list.body);
  }

  *chunks(): Generator<Uint8Array> {
    this.#out.ascii(JSON.stringify(this.#parts.summary).slice(0, -1));
    yield* this.#section(',"added":[', this.#parts.change.added.length, (i) => this.#added(i));
    yield* this.#section('],"changed":[', this.#parts.change.changed.length / 2, (i) => this.#changed(i));
    yield* this.#section('],"left":[', this.#parts.change.left.length, (i) => this.#left(i));
    this.#out.ascii(']}');
    yield this.#flush();
  }

  *#section(opening: string, count: number, write: (i: number) => Buffer | undefined): Generator<Uint8Array> {
    this.#out.ascii(opening);
    this.#first = true;
    for (let i = 0; i < count; i++) {
      if (!this.#first) this.#out.ascii(',');
      this.#first = false;
      const long = write(i);
      if (long) {
        yield this.#flush();
        yield long;
      } else if (this.#out.length >= flushAt) yield this.#flush();
    }
  }

  #flush(): Uint8Array {
    const chunk = this.#out.buffer.subarray(0, this.#out.length);
    this.#out.length = 0;
    return chunk;
  }

  #added(i: number): Buffer | undefined {
    const { list, change, set, plan } = this.#parts;
    const element = change.added[i] ?? 0;
    const out = this.#out;
    out.bytes(text.number);
    out.ascii(String(set.lastNumber + 1 + i));
    out.bytes(text.idDigest);
    out.hex(list.ids.words, element * 4);
    out.bytes(text.digest);
    out.hex(list.digests, element * 4);
    out.bytes(text.due);
    if (list.plain[element] === 1) {
      this.#reader.read(list.starts[element] ?? 0);
      this.#due(plan(this.#invitationDate()));
      return this.#plainValues(true);
    }
    const values = parsedValues(list, element);
    this.#due(plan(values.InvitationDate));
    return this.#longValues(valuesText(values));
  }

  #due(due: string | null): void {
    if (due === null) return this.#out.ascii('null');
    this.#out.byte(0x22);
    this.#out.ascii(due);
    this.#out.byte(0x22);
  }

  #invitationDate(): string | undefined {
    const start = this.#reader.starts[field.InvitationDate] ?? -1;
    if (start < 0) return undefined;
    return this.#parts.list.body.toString('latin1', start, this.#reader.ends[field.InvitationDate]);
  }

  #plainValues(withInvitationDate: boolean): undefined {
    this.#out.bytes(text.values);
    writePlainValues(this.#reader, this.#parts.list.body, this.#out, withInvitationDate);
    this.#out.ascii('}');
  }

  #longValues(text: string): Buffer {
    return Buffer.from(`,"values":${text}}`);
  }

  #changed(i: number): Buffer | undefined {
    const { list, change, set } = this.#parts;
    const element = change.changed[i * 2] ?? 0;
    const index = change.changed[i * 2 + 1] ?? 0;
    this.#out.bytes(text.number);
    this.#out.ascii(String(set.numbers[index] ?? 0));
    this.#out.bytes(text.digestOfChanged);
    this.#out.hex(list.digests, element * 4);
    this.#out.ascii('"');
    if (list.plain[element] === 1) {
      this.#reader.read(list.starts[element] ?? 0);
      return this.#plainValues(false);
    }
    return this.#longValues(valuesText(withoutInvitationDate(parsedValues(list, element))));
  }

  #left(i: number): undefined {
    const { change, set } = this.#parts;
    this.#out.ascii(`{"number":${set.numbers[change.left[i] ?? 0] ?? 0}}`);
  }
}

function parsedValues(list: EmployeeList, element: number): EmployeeValues {
  const reading = readElement(list, element);
  if (!isComplete(reading)) throw new Error('an element of a valid list is not valid');
  return reading.values;
}

/**
 * The data of `EmployeeSetReplaced` as JSON text, made as it is read and never held whole.
 * Numbers are given in the order of the list. A chunk is valid until the next one is taken.
 */
export const replacementSource = (parts: ReplacementParts): { chunks(): Iterable<Uint8Array> } => ({
  chunks: () => new ReplacementWriter(parts).chunks(),
});
