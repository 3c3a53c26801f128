import type { EmployeeSetSummary } from '@rollcall/contracts';
import type { EmployeeSetChange } from './set-change.js';
import { toHex } from '../list/digests.js';
import { releaseMemory } from '../release-memory.js';
import { HeldElements, readValuesOf, readElement } from '../list/held-elements.js';
import type { EmployeeList } from '../list/list-builder.js';
import type { EmployeeSet } from './set-state.js';
import { valuesText, withoutInvitationDate } from '../list/read-employee.js';

/** The due time of a new employee's invitation, ISO 8601 UTC, or null. Takes the InvitationDate as sent. */
type InvitationPlan = (invitationDate?: string) => string | null;

/** The entry that reaches this length ends the chunk. */
const flushAt = 128 * 1024;
/** A longer text is a chunk of its own. */
const longText = 16 * 1024;

interface ReplacementParts {
  readonly summary: EmployeeSetSummary;
  readonly list: EmployeeList;
  readonly set: EmployeeSet;
  readonly change: EmployeeSetChange;
  readonly plan: InvitationPlan;
}

type WriteEntry = (elements: HeldElements, i: number) => string | undefined;

class ReplacementWriter {
  readonly #parts: ReplacementParts;
  #text = '';
  #dueWithoutDate: string | null | undefined;
  /** Reused for each chunk, because the garbage collector would keep as much again as the text. */
  #memory = new Uint8Array(0);

  constructor(parts: ReplacementParts) {
    this.#parts = parts;
  }

  *chunks(): Generator<Uint8Array> {
    const { summary, change } = this.#parts;
    this.#text = `${JSON.stringify(summary).slice(0, -1)},"added":[`;
    yield* this.#entries(change.added.length, (...entry) => this.#added(...entry));
    this.#text += '],"changed":[';
    const pairs = (change.changed.length + change.renamed.length) / 2;
    yield* this.#entries(pairs, (...entry) => this.#changed(...entry));
    this.#text += '],"left":[';
    yield* this.#entries(change.left.length, (_, i) => this.#left(i));
    yield Buffer.from(`${this.#text}],"restored":[]}`);
    releaseMemory(this.#memory.buffer);
  }

  /** Holds the module only while it writes a chunk: the consumer may do other work in between. */
  *#entries(count: number, write: WriteEntry): Generator<Uint8Array> {
    for (let next = 0; next < count;) {
      const part = HeldElements.use(this.#parts.list, (elements) => this.#part(elements, next, count, write));
      yield* part.chunks;
      next = part.next;
    }
  }

  #part(elements: HeldElements, next: number, count: number, write: WriteEntry) {
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
    if (this.#memory.length < output.length) this.#memory = Buffer.allocUnsafeSlow(output.length);
    this.#memory.set(output);
    return this.#memory.subarray(0, output.length);
  }

  #added(elements: HeldElements, i: number): string | undefined {
    const { list, change, set, plan } = this.#parts;
    const element = change.added[i] ?? 0;
    const number = set.lastNumber + 1 + i;
    if (!elements.hold(element)) {
      const values = readValuesOf(list, element);
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
    if (i * 2 >= change.changed.length) return this.#renamed(i * 2 - change.changed.length);
    const element = change.changed[i * 2] ?? 0;
    const number = set.numbers[change.changed[i * 2 + 1] ?? 0] ?? 0;
    if (elements.hold(element)) {
      elements.held.putChanged({ number, element, digests: list.digests });
      return undefined;
    }
    const head = JSON.stringify({ number, digest: toHex(list.digests, element * 4) });
    const values = valuesText(withoutInvitationDate(readValuesOf(list, element)));
    return `${head.slice(0, -1)},"values":${values}}`;
  }

  #renamed(i: number): string {
    const { list, change, set } = this.#parts;
    const element = change.renamed[i] ?? 0;
    const number = set.numbers[change.renamed[i + 1] ?? 0] ?? 0;
    const ids = { idDigest: toHex(list.ids, element * 4), digest: toHex(list.digests, element * 4) };
    const values = valuesText(withoutInvitationDate(readValuesOf(list, element)));
    return `${JSON.stringify({ number, ...ids }).slice(0, -1)},"values":${values}}`;
  }

  #left(i: number): string {
    const { change, set } = this.#parts;
    return `{"number":${set.numbers[change.left[i] ?? 0] ?? 0}}`;
  }
}

/** `EmployeeSetReplaced` as JSON text, never held whole; numbers in list order. A chunk is valid until the next request. */
export const replacementSource = (parts: ReplacementParts): { chunks(): Iterable<Uint8Array> } => ({
  chunks: () => new ReplacementWriter(parts).chunks(),
});

/** Times are ISO 8601 UTC, null without invitations. */
export interface InvitedSummary {
  readonly count: number;
  readonly firstDueAt: string | null;
  readonly lastDueAt: string | null;
}

export function invitedSummary(
  list: EmployeeList,
  added: Iterable<number>,
  plan: InvitationPlan,
): InvitedSummary {
  return HeldElements.use(list, (elements) => {
    let summary: InvitedSummary = { count: 0, firstDueAt: null, lastDueAt: null };
    for (const element of added) {
      const due = plan(invitationDateOf(list, elements, element));
      if (due !== null) summary = withOne(summary, due);
    }
    return summary;
  });
}

/** Due times have one form, in which text order is time order. */
const withOne = ({ count, firstDueAt, lastDueAt }: InvitedSummary, due: string): InvitedSummary => ({
  count: count + 1,
  firstDueAt: firstDueAt === null || due < firstDueAt ? due : firstDueAt,
  lastDueAt: lastDueAt === null || due > lastDueAt ? due : lastDueAt,
});

const invitationDateOf = (list: EmployeeList, elements: HeldElements, element: number): string | undefined =>
  elements.hold(element) ? elements.held.invitationDate : readElement(list, element).values.InvitationDate;
