import type { EmployeeSetSummary, EmployeeValues } from '@rollcall/contracts';
import type { EmployeeSetChange } from './diff.js';
import { toHex } from './digests.js';
import { HeldElements } from './held-elements.js';
import type { EmployeeList } from './list-builder.js';
import { readElement } from './list-elements.js';
import { isComplete } from './read-employee.js';
import type { EmployeeSet } from './set-state.js';
import { valuesText, withoutInvitationDate } from './values.js';

/** When a new employee is invited: ISO 8601 UTC, or null; the argument is the InvitationDate as sent. */
export type InvitationPlan = (invitationDate?: string) => string | null;

/** A chunk ends with the entry that makes it so long. */
const flushAt = 128 * 1024;
/** A text that is longer than that is a chunk of its own. */
const longText = 16 * 1024;

interface ReplacementParts {
  readonly summary: EmployeeSetSummary;
  readonly list: EmployeeList;
  readonly set: EmployeeSet;
  readonly change: EmployeeSetChange;
  readonly plan: InvitationPlan;
}

interface Part {
  readonly chunks: readonly Uint8Array[];
  /** The entry that comes next. */
  readonly next: number;
}

/** Writes an entry; or gives its text, where it was left to the rules in full. */
type WriteEntry = (elements: HeldElements, i: number) => string | undefined;

/** Writes the JSON text of `EmployeeSetReplaced` chunk by chunk, straight from the bytes of the body. */
class ReplacementWriter {
  readonly #parts: ReplacementParts;
  /** What is still to be written in front of the next entry. */
  #text = '';
  #dueWithoutDate: string | null | undefined;
  /** Used again for each chunk: left to the garbage collector they would weigh as much as the text. */
  #memory: Uint8Array = new Uint8Array(0);

  constructor(parts: ReplacementParts) {
    this.#parts = parts;
  }

  *chunks(): Generator<Uint8Array> {
    const { summary, change } = this.#parts;
    this.#text = `${JSON.stringify(summary).slice(0, -1)},"added":[`;
    yield* this.#entries(change.added.length, (...entry) => this.#added(...entry));
    this.#text += '],"changed":[';
    yield* this.#entries(change.changed.length / 2, (...entry) => this.#changed(...entry));
    this.#text += '],"left":[';
    yield* this.#entries(change.left.length, (_, i) => this.#left(i));
    yield Buffer.from(`${this.#text}]}`);
  }

  /** The module is held only while a chunk is written: whoever takes the chunks may do other things in between. */
  *#entries(count: number, write: WriteEntry): Generator<Uint8Array> {
    for (let next = 0; next < count;) {
      const part = HeldElements.use(this.#parts.list, (elements) => this.#part(elements, next, count, write));
      yield* part.chunks;
      next = part.next;
    }
  }

  /** The entries from `next` on that fill a chunk. */
  #part(elements: HeldElements, next: number, count: number, write: WriteEntry): Part {
    const { held } = elements;
    held.putText(Buffer.from(this.#text));
    this.#text = '';
    while (next < count && held.written < flushAt) {
      if (next > 0) held.putComma();
      const text = write(elements, next++);
      if (text === undefined) continue;
      const bytes = Buffer.from(text);
      if (bytes.length > longText) return { chunks: [this.#taken(held.output), bytes], next };
      held.putText(bytes);
    }
    return { chunks: [this.#taken(held.output)], next };
  }

  #taken(output: Uint8Array): Uint8Array {
    if (this.#memory.length < output.length) this.#memory = new Uint8Array(output.length * 2);
    this.#memory.set(output);
    return this.#memory.subarray(0, output.length);
  }

  #added(elements: HeldElements, i: number): string | undefined {
    const { list, change, set, plan } = this.#parts;
    const element = change.added[i] ?? 0;
    const number = set.lastNumber + 1 + i;
    if (!elements.hold(element)) {
      const values = parsedValues(list, element);
      const ids = { idDigest: toHex(list.ids, element * 4), digest: toHex(list.digests, element * 4) };
      const head = JSON.stringify({ number, ...ids, invitationDue: plan(values.InvitationDate) });
      return `${head.slice(0, -1)},"values":${valuesText(values)}}`;
    }
    const date = elements.held.invitationDate;
    if (this.#dueWithoutDate === undefined) this.#dueWithoutDate = plan();
    const due = date === undefined ? this.#dueWithoutDate : plan(date);
    elements.held.putAdded({ number, element, due, ids: list.ids, digests: list.digests });
    return undefined;
  }

  #changed(elements: HeldElements, i: number): string | undefined {
    const { list, change, set } = this.#parts;
    const element = change.changed[i * 2] ?? 0;
    const number = set.numbers[change.changed[i * 2 + 1] ?? 0] ?? 0;
    if (elements.hold(element)) {
      elements.held.putChanged({ number, element, digests: list.digests });
      return undefined;
    }
    const head = JSON.stringify({ number, digest: toHex(list.digests, element * 4) });
    const values = valuesText(withoutInvitationDate(parsedValues(list, element)));
    return `${head.slice(0, -1)},"values":${values}}`;
  }

  #left(i: number): string {
    const { change, set } = this.#parts;
    return `{"number":${set.numbers[change.left[i] ?? 0] ?? 0}}`;
  }
}

function parsedValues(list: EmployeeList, element: number): EmployeeValues {
  const reading = readElement(list, element);
  if (!isComplete(reading)) throw new Error('an element of a valid list is not valid');
  return reading.values;
}

/**
 * The data of `EmployeeSetReplaced` as JSON text, made as it is read and never held whole: each chunk is good until the next
 * one is asked for.
 * Numbers are given in the order of the list.
 */
export const replacementSource = (parts: ReplacementParts): { chunks(): Iterable<Uint8Array> } => ({
  chunks: () => new ReplacementWriter(parts).chunks(),
});
