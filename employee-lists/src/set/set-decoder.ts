import {
  EmployeeAdded,
  EmployeeChanged,
  EmployeeLeft,
  EmployeeRestored,
  EmployeeSetSummary,
} from '@rollcall/contracts';
import { Compile } from 'typebox/compile';
import { parsedJson } from '../json/json-shapes.js';
import { endOfDigits, matches } from '../json/json-tokens.js';
import { readHex, type Words } from '../list/digests.js';
import type { SetElement } from './set-state.js';

/** The data of an `EmployeeSetReplaced` breaks the catalogue. Names the place, never a value. */
export class MisshapenSet extends Error {
  override readonly name = 'MisshapenSet';
}

const checkSummary = Compile(EmployeeSetSummary);
const checkAdded = Compile(EmployeeAdded);
const checkChanged = Compile(EmployeeChanged);
const checkLeft = Compile(EmployeeLeft);
const checkRestored = Compile(EmployeeRestored);

type EntryKind = 'added' | 'changed' | 'left' | 'restored';

export type FullElement =
  | ({ readonly kind: 'added' } & EmployeeAdded)
  | ({ readonly kind: 'changed' } & EmployeeChanged)
  | { readonly kind: 'left'; readonly number: number }
  | ({ readonly kind: 'restored' } & EmployeeRestored);

const listsMark = ',"added":[';
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The members before the lists; 4 KiB of the event's JSON text are enough. `EmployeeSetConfirmed` has nothing else. */
export function readSetSummary(beginning: Uint8Array): EmployeeSetSummary {
  const text = asBuffer(beginning).subarray(0, 4096).toString('latin1');
  const lists = text.indexOf(listsMark);
  const summary: unknown = JSON.parse(lists < 0 ? text : `${text.slice(0, lists)}}`);
  if (!checkSummary.Check(summary)) throw new MisshapenSet('the summary of an employee set is misshapen');
  return summary;
}

type Section = 'summary' | EntryKind | 'end';
const closings: Readonly<Record<Exclude<Section, 'summary' | 'end'>, { text: string; next: Section }>> = {
  added: { text: '],"changed":[', next: 'changed' },
  changed: { text: '],"left":[', next: 'left' },
  left: { text: '],"restored":[', next: 'restored' },
  restored: { text: ']}', next: 'end' },
};

/** Separates entries. No text contains it, nor a list's end: inner quotes follow a backslash, no letter follows the last. */
const between = Buffer.from('},{"number":');
const lastEnd = {
  added: Buffer.from(`}${closings.added.text}`),
  changed: Buffer.from(`}${closings.changed.text}`),
  left: Buffer.from(`}${closings.left.text}`),
  restored: Buffer.from(`}${closings.restored.text}`),
};

/** Made once: an empty one costs as much as a small one. */
const nothing: Buffer = Buffer.alloc(0);

/** Gets each entry's JSON text: `bytes` from `start` to `end`. Copy what is to be kept. */
type ElementVisitor = (kind: EntryKind, bytes: Buffer, start: number, end: number) => void;

/** May take entries that begin at `start`, and returns the end of the last one, or `start`. The others are visited. */
type EntriesTaker = (kind: EntryKind, bytes: Buffer, start: number) => number;

/** Parses an `EmployeeSetReplaced` as this service writes it, in chunks of any size. Holds a chunk and part of an entry. */
export class SetEventParser {
  readonly #visit: ElementVisitor;
  readonly #take: EntriesTaker;
  readonly #begin: (summary: EmployeeSetSummary) => void;
  /** Begins with the `#rest` bytes of an incomplete entry; reused for the chunks behind one. */
  #memory = nothing;
  #rest = 0;
  #section: Section = 'summary';
  #summary: EmployeeSetSummary | undefined;
  /** The end of the last entry in this chunk; -1 if it is not in it, undefined if not searched yet. */
  #lastEnd: number | undefined;

  /** `begin` gets the summary before any entry. `known`: the summary, where it was read before. */
  constructor(
    visit: ElementVisitor,
    take: EntriesTaker = (_kind, _bytes, start) => start,
    begin: (summary: EmployeeSetSummary) => void = () => undefined,
    known?: EmployeeSetSummary,
  ) {
    this.#visit = visit;
    this.#take = take;
    this.#begin = begin;
    this.#summary = known;
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#rest === 0 ? asBuffer(chunk) : this.#behindRest(chunk);
    this.#lastEnd = undefined;
    let at = 0;
    for (;;) {
      const next = this.#step(bytes, at);
      if (next < 0) break;
      at = next;
    }
    this.#rest = bytes.length - at;
    if (this.#rest === 0) return;
    this.#grow(this.#rest);
    this.#memory.set(bytes.subarray(at));
  }

  #behindRest(chunk: Uint8Array): Buffer {
    const length = this.#rest + chunk.byteLength;
    this.#grow(length);
    this.#memory.set(chunk, this.#rest);
    return this.#memory.subarray(0, length);
  }

  #grow(length: number): void {
    if (length <= this.#memory.length) return;
    const memory = Buffer.allocUnsafeSlow(length + Math.ceil(length / 8));
    this.#memory.copy(memory, 0, 0, this.#rest);
    this.#memory = memory;
  }

  /** Once everything is pushed. A text that ended too early or too late is `MisshapenSet`. */
  finish(): EmployeeSetSummary {
    if (this.#summary === undefined || this.#section !== 'end' || this.#rest > 0) {
      throw new MisshapenSet('the lists of an employee set are incomplete');
    }
    return this.#summary;
  }

  /** Reads one item at `at` and returns its end; -1 if the chunk is too short. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#section) {
      case 'summary':
        return this.#readSummary(bytes);
      case 'added':
      case 'changed':
      case 'left':
      case 'restored':
        return bytes[at] === 0x5d
          ? this.#closeList(this.#section, bytes, at)
          : this.#readEntry(this.#section, bytes, at);
      case 'end':
        return -1;
      default:
        return this.#section satisfies never;
    }
  }

  #readSummary(bytes: Buffer): number {
    const lists = bytes.indexOf(listsMark);
    if (lists < 0) return -1;
    this.#summary ??= readSetSummary(bytes.subarray(0, lists + listsMark.length));
    this.#section = 'added';
    this.#begin(this.#summary);
    return lists + listsMark.length;
  }

  #closeList(section: keyof typeof closings, bytes: Buffer, at: number): number {
    const { text, next } = closings[section];
    if (bytes.length < at + text.length) return -1;
    if (!matches(bytes, at, text))
      throw new MisshapenSet(`the list "${section}" is followed by something else`);
    this.#section = next;
    this.#lastEnd = undefined;
    return at + text.length;
  }

  #readEntry(section: keyof typeof closings, bytes: Buffer, at: number): number {
    const start = bytes[at] === 0x2c ? at + 1 : at;
    if (start >= bytes.length) return -1;
    if (bytes[start] !== 0x7b) throw new MisshapenSet(`an entry of "${section}" is no object`);
    const taken = this.#take(section, bytes, start);
    if (taken > start) return taken;
    const end = this.#endOfEntry(section, bytes, start);
    if (end < 0) return -1;
    this.#visit(section, bytes, start, end);
    return end;
  }

  #endOfEntry(section: keyof typeof closings, bytes: Buffer, start: number): number {
    const last = (this.#lastEnd ??= bytes.indexOf(lastEnd[section], start));
    const next = bytes.indexOf(between, start);
    if (next < 0 && last < 0) return -1;
    return (last < 0 || (next >= 0 && next < last) ? next : last) + 1;
  }
}

export function readFullElement(kind: EntryKind, bytes: Buffer, start: number, end: number): FullElement {
  const entry = parsedJson(bytes.toString('utf8', start, end));
  const element = checkedElement(kind, entry);
  if (element === undefined) throw new MisshapenSet(`an entry of "${kind}" is misshapen`);
  return element;
}

const checked = <K extends EntryKind, T extends object>(
  kind: K,
  check: { Check(value: unknown): value is T },
  entry: unknown,
): ({ readonly kind: K } & T) | undefined => (check.Check(entry) ? { kind, ...entry } : undefined);

function checkedElement(kind: EntryKind, entry: unknown): FullElement | undefined {
  switch (kind) {
    case 'added':
      return checked(kind, checkAdded, entry);
    case 'changed':
      return checked(kind, checkChanged, entry);
    case 'left':
      return checked(kind, checkLeft, entry);
    case 'restored':
      return checked(kind, checkRestored, entry);
    default:
      return kind satisfies never;
  }
}

const digests = { id: new Uint32Array(4), values: new Uint32Array(4) };
const digestLength = 32;
const idDigestMark = ',"idDigest":"';

/** Digests and number of an entry as this service writes it; its values are not read. Valid until the next call. */
export function readSetElement(kind: EntryKind, bytes: Uint8Array, start: number): SetElement {
  const numberStart = behind(bytes, start, '{"number":');
  const numberEnd = endOfDigits(bytes, numberStart);
  const number = wholeNumber(bytes, numberStart, numberEnd);
  switch (kind) {
    case 'added': {
      const id = behind(bytes, numberEnd, idDigestMark);
      const values = behind(bytes, id + digestLength, '","digest":"');
      behind(bytes, values + digestLength, '","invitationDue":');
      const idDigest = digestAt(bytes, id, digests.id);
      return { kind, number, idDigest, digest: digestAt(bytes, values, digests.values) };
    }
    case 'changed':
      return matches(bytes, numberEnd, idDigestMark)
        ? { kind, number, ...digestsAt(bytes, numberEnd) }
        : { kind, number, digest: valuesDigestAt(bytes, numberEnd) };
    case 'restored':
      return { kind, number, ...digestsAt(bytes, numberEnd) };
    case 'left':
      behind(bytes, numberEnd, '}');
      return { kind, number };
    default:
      return kind satisfies never;
  }
}

function valuesDigestAt(bytes: Uint8Array, at: number): Words {
  const values = behind(bytes, at, ',"digest":"');
  behind(bytes, values + digestLength, '","values":{');
  return digestAt(bytes, values, digests.values);
}

function digestsAt(bytes: Uint8Array, at: number): { readonly idDigest: Words; readonly digest: Words } {
  const id = behind(bytes, at, idDigestMark);
  const digest = valuesDigestAt(bytes, behind(bytes, id + digestLength, '"'));
  return { idDigest: digestAt(bytes, id, digests.id), digest };
}

function behind(bytes: Uint8Array, at: number, text: string): number {
  if (!matches(bytes, at, text)) throw misshapenEntry();
  return at + text.length;
}

function wholeNumber(bytes: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = number * 10 + ((bytes[at] ?? 0) - 0x30);
  if (start === end || !Number.isSafeInteger(number)) throw misshapenEntry();
  return number;
}

function digestAt(bytes: Uint8Array, at: number, words: Words): Words {
  if (!readHex(bytes, at, words)) throw misshapenEntry();
  return words;
}

const misshapenEntry = (): MisshapenSet => new MisshapenSet('an entry of an employee set is misshapen');
