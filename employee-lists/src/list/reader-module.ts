import { employeeField, type EmployeeFieldKind } from '@rollcall/contracts';
import { wasm } from '#reader-module';
import { foldEmail } from '../text/rules.js';
import { ignoredCounts, type IgnoredFields, maxIgnoredNames } from '../json/json-shapes.js';
import type { Digester } from './digests.js';
import {
  type FieldName,
  fieldNames,
  maxDimensionNameLength,
  maxDimensions,
  maxDimensionValueLength,
} from './read-employee.js';

interface Place {
  readonly value: number;
}

/** Exports of `employee-lists/reader/index.ts`. Numbers are bytes or addresses in its memory unless named otherwise. */
interface ReaderExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly heads: Place;
  readonly asciiLetters: Place;
  readonly fieldTable: Place;
  readonly window: Place;
  readonly output: Place;
  readonly maxElementBytes: Place;
  readonly digest: Place;
  readonly idDigest: Place;
  readonly due: Place;
  readonly bounds: Place;
  readonly withUnknown: Place;
  readonly plain: Place;
  readonly idDigests: Place;
  readonly digests: Place;
  readonly owners: Place;
  readonly recordCount: Place;
  readonly rowCount: Place;
  readonly rowNumbers: Place;
  readonly rowIdDigests: Place;
  readonly rowDigests: Place;
  readonly rowEnds: Place;
  readonly rowDues: Place;
  readonly elementCount: Place;
  readonly elementStart: Place;
  readonly unsettledReason: Place;
  readonly problem: Place;
  readonly problemAt: Place;
  readonly breach: Place;
  readonly reduced: Place;
  readonly unknownCount: Place;
  readonly countedProblems: Place;
  readonly ignoredCount: Place;
  readonly ignoredNames: Place;
  readonly idField: Place;
  setFields(count: number): number;
  setDimensionLimits(name: number, value: number, kept: number): void;
  setUpHash(): void;
  setHashKey(first: bigint, second: bigint): void;
  freeAll(): void;
  beginList(expected: number): void;
  setDigesting(isOn: number): void;
  beginIgnored(): void;
  endIgnored(): void;
  countMembers(): void;
  inputPlace(): number;
  inputRoom(): number;
  addInput(length: number): void;
  endInput(): void;
  readList(): number;
  position(): number;
  breachPosition(): number;
  reduceElement(): number;
  countOnly(): void;
  startOf(field: number): number;
  endOf(field: number): number;
  noteText(column: number, start: number, end: number): void;
  ownerOf(column: number, element: number): number;
  endWindow(length: number): void;
  holdElement(offset: number, length: number, mayHaveUnknown: number): number;
  heldDate(): number;
  heldDateLength(): number;
  beginOutput(): void;
  outputLength(): number;
  addOutput(length: number): void;
  putByte(byte: number): void;
  putAdded(number: number, dueLength: number): void;
  putChanged(number: number): void;
  putRows(length: number, isAdded: number): number;
}

const kinds: Readonly<Record<EmployeeFieldKind, number>> = {
  text: 0,
  email: 1,
  phone: 2,
  code: 3,
  birthday: 4,
  date: 5,
  dimensions: 6,
};
const flags = { required: 1, notBlank: 2, mirrored: 4, id: 8, firstname: 16, lastname: 32 };

const roleOf: Partial<Record<FieldName, number>> = {
  EmployeeID: flags.id,
  Firstname: flags.firstname,
  Lastname: flags.lastname,
};

function flagsOf(name: FieldName): number {
  const { kind, required, isMirrored } = employeeField(name);
  const notBlank = kind === 'text' ? flags.notBlank : 0;
  return (required ? flags.required | notBlank : 0) | (isMirrored ? flags.mirrored : 0) | (roleOf[name] ?? 0);
}

const fieldEntryBytes = 64;
/** As in `employee-lists/reader/ignored.ts`. */
const ignoredEntryBytes = 192;
const headBytes = 48;

/** The table described in `employee-lists/reader/fields.ts`. */
function fieldEntries(): Buffer {
  const entries = Buffer.alloc(fieldNames.length * fieldEntryBytes);
  for (const [index, name] of fieldNames.entries()) {
    const entry = entries.subarray(index * fieldEntryBytes, (index + 1) * fieldEntryBytes);
    const quoted = `"${name}"`;
    const { kind, maxLength = 0, codes = {} } = employeeField(name);
    entry.writeUInt8(kinds[kind], 0);
    entry.writeUInt8(flagsOf(name), 1);
    entry.writeUInt8(quoted.length, 2);
    entry.writeUInt16LE(maxLength, 4);
    entry.writeUInt16LE(
      Object.values(codes).reduce((bits, code) => bits | (1 << code), 0),
      6,
    );
    entry.write(quoted, 16, 'latin1');
  }
  return entries;
}

/** Bit set of an ASCII character's places in an e-mail address: 1 local part, 2 label, 4 inside a label. */
const asciiLetters = Uint8Array.from({ length: 128 }, (_, byte) => {
  const letter = String.fromCharCode(byte);
  if (/[a-zA-Z0-9]/.test(letter)) return 3;
  if (letter === '-') return 5;
  return /[.!#$%&'*+/=?^_`{|}~]/.test(letter) ? 1 : 0;
});

const wideLetter = /^[\p{L}\p{M}\p{N}]$/u;

/** 0 for a letter that no address may contain; a mark for the one folded to `foldedDottedI`. */
function foldedLetter(point: number): number {
  const letter = String.fromCodePoint(point);
  const folded = wideLetter.test(letter) ? foldEmail(letter) : '';
  if (folded === foldedDottedI) return 0x110000;
  const first = folded.codePointAt(0) ?? 0;
  if (folded !== '' && folded !== String.fromCodePoint(first))
    throw new Error('a letter is folded to several');
  return first;
}

/** What U+0130 is folded to: no other letter becomes more than one. */
const foldedDottedI = 'i\u0307';

const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Bytes per call of the module: they stay in the processor's cache. */
export const windowBytes = 65_536;

let compiled: WebAssembly.Module | undefined;

export class ReaderModule {
  readonly calls: ReaderExports;
  #bytes: Buffer;
  #words: Uint32Array;

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(wasm, 'base64'));
    const host = {
      fillPage: (page: number, to: number) => Number(this.#fillPage(page, to)),
      digitOf: (start: number, length: number) => this.#digitOf(start, length),
    };
    const instance = new WebAssembly.Instance(compiled, {
      host: host,
    });
    this.calls = instance.exports as ReaderExports;
    this.#bytes = Buffer.from(this.calls.memory.buffer);
    this.#words = new Uint32Array(this.calls.memory.buffer);
    this.#setUp();
  }

  #setUp(): void {
    const { calls, bytes } = this;
    bytes.set(fieldEntries(), calls.fieldTable.value);
    bytes.set(asciiLetters, calls.asciiLetters.value);
    calls.setDimensionLimits(maxDimensionNameLength, maxDimensionValueLength, maxDimensions);
    calls.setUpHash();
    if (calls.setFields(fieldNames.length) === 0)
      throw new Error('the names of the fields are not told apart');
  }

  #fillPage(page: number, to: number): boolean {
    const letters = Uint32Array.from({ length: 256 }, (_, letter) => foldedLetter(page * 256 + letter));
    this.words.set(letters, to / 4);
    return letters.some((letter) => letter !== 0);
  }

  #digitOf(start: number, length: number): number {
    return digits.indexOf(Number(this.bytes.toString('latin1', start, start + length)));
  }

  /** The module's memory; read it again after each call. Growing detaches views, which is cheaper to see than a new buffer. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.calls.memory.buffer);
    return this.#bytes;
  }

  get words(): Uint32Array {
    if (this.#words.length === 0) this.#words = new Uint32Array(this.calls.memory.buffer);
    return this.#words;
  }

  beginList(digester: Digester, expected: number): void {
    const { calls, bytes } = this;
    for (const [index, head] of digester.messageHeads().entries())
      bytes.set(head, calls.heads.value + index * headBytes);
    calls.setHashKey(...digester.hashKey());
    calls.setDigesting(1);
    calls.freeAll();
    calls.beginList(expected);
    calls.beginIgnored();
  }

  /** The unknown members of a list. Call once, after reading. */
  ignored(): IgnoredFields {
    this.calls.endIgnored();
    const { ignoredCount, ignoredNames } = this.calls;
    const entryAt = (index: number): Buffer =>
      this.bytes.subarray(ignoredNames.value + index * ignoredEntryBytes).subarray(0, ignoredEntryBytes);
    const names = Array.from({ length: ignoredCount.value }, (_, index) => {
      const entry = entryAt(index);
      const text = entry.toString('utf8', 16, 16 + entry.readUInt32LE(4));
      return [entry.readUInt32LE(8) === 0 ? text : `${text}…`, entry.readUInt32LE(0)] as const;
    });
    return ignoredCounts(names, entryAt(maxIgnoredNames).readUInt32LE(0));
  }

  /** The earlier element with the same text, or -1; then this element is remembered for it. The memory may grow. */
  ownerOf(column: number, element: number, text: string): number {
    const start = this.calls.output.value;
    this.calls.noteText(column, start, start + this.bytes.write(text, start));
    return this.calls.ownerOf(column, element);
  }
}

/** Bytes of an idle module: those of a list of 100,000 fit, for which a new one costs a fifth of the reading. */
const maxKeptBytes = 20 * 1024 * 1024;
const maxIdle = 2;
const idle: ReaderModule[] = [];

export const takeModule = (): ReaderModule => idle.pop() ?? new ReaderModule();

export function giveBack(module: ReaderModule): void {
  if (idle.length < maxIdle && module.bytes.length <= maxKeptBytes) idle.push(module);
}
