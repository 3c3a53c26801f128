import { employeeField, type EmployeeFieldKind } from '@rollcall/contracts';
import { wasm } from '#reader-module';
import { foldEmail } from '../text/emails.js';
import type { Digester } from './digests.js';
import {
  type FieldName,
  fieldNames,
  maxDimensionNameLength,
  maxDimensions,
  maxDimensionValueLength,
} from './fields.js';

interface Place {
  readonly value: number;
}

/** What the module exports (`domain/reader/index.ts`). Numbers of bytes and places in its memory, where nothing else is said. */
export interface ReaderExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly heads: Place;
  readonly asciiLetters: Place;
  readonly fieldTable: Place;
  readonly window: Place;
  readonly output: Place;
  readonly longestElement: Place;
  readonly digest: Place;
  readonly idDigest: Place;
  readonly due: Place;
  readonly bounds: Place;
  readonly withUnknown: Place;
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
  readonly orderKeys: Place;
  readonly elementCount: Place;
  readonly elementStart: Place;
  readonly unsettledReason: Place;
  readonly problem: Place;
  readonly problemAt: Place;
  setFields(count: number): number;
  setDimensionLimits(name: number, value: number, kept: number): void;
  setUpHash(): void;
  setHashKey(first: bigint, second: bigint): void;
  freeAll(): void;
  beginList(expected: number): void;
  setDigesting(isOn: number): void;
  inputPlace(): number;
  inputRoom(): number;
  addInput(length: number): void;
  endInput(): void;
  readList(): number;
  position(): number;
  ownerOf(column: number, element: number, start: number, end: number): number;
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
  orderKeysLength(): number;
}

/** Settles a hit: whether the text at `start` is that of this column of an element that came before. */
export type SettleHit = (column: number, element: number, start: number, length: number) => boolean;

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
/** For each purpose, what stands in front of a message. */
const headBytes = 48;

/** The fields as the module wants them (`domain/reader/fields.ts`). */
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

/** What an ASCII character may be in an e-mail address: in the local part 1, in a label 2, inside of a label 4. */
const asciiLetters = Uint8Array.from({ length: 128 }, (_, byte) => {
  const letter = String.fromCharCode(byte);
  if (/[a-zA-Z0-9]/.test(letter)) return 3;
  if (letter === '-') return 5;
  return /[.!#$%&'*+/=?^_`{|}~]/.test(letter) ? 1 : 0;
});

const wideLetter = /^[\p{L}\p{M}\p{N}]$/u;

/** What a letter of an e-mail address is folded to; 0 where it is none, or is folded to more than one. */
function foldedLetter(point: number): number {
  if (point > 0x10ffff) return 0;
  const letter = String.fromCodePoint(point);
  const folded = wideLetter.test(letter) ? foldEmail(letter) : '';
  const first = folded.codePointAt(0) ?? 0;
  return folded === String.fromCodePoint(first) ? first : 0;
}

/** Bytes that are given to the module at a time: they stay in the processor's cache. */
export const pieceBytes = 65_536;

let compiled: WebAssembly.Module | undefined;

/** The reader of employees in WebAssembly, with a memory of its own. */
export class ReaderModule {
  readonly calls: ReaderExports;
  #bytes: Buffer;
  #words: Uint32Array;
  #settleHit: SettleHit = () => false;

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(wasm, 'base64'));
    const host = {
      isSameText: (...hit: [number, number, number, number]) => Number(this.#settleHit(...hit)),
      fillPage: (page: number, to: number) => this.#fillPage(page, to),
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

  #fillPage(page: number, to: number): undefined {
    for (let letter = 0; letter < 256; letter++)
      this.words[to / 4 + letter] = foldedLetter(page * 256 + letter);
  }

  /** Its memory. To be asked for anew behind each call: it may have grown. */
  get bytes(): Buffer {
    const { buffer } = this.calls.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  /** The same in words of four bytes. */
  get words(): Uint32Array {
    const { buffer } = this.calls.memory;
    if (this.#words.buffer !== buffer) this.#words = new Uint32Array(buffer);
    return this.#words;
  }

  /** Begins a list of about so many elements. Hits among hashes are settled by the text itself. */
  beginList(digester: Digester, expected: number, settleHit: SettleHit): void {
    const { calls, bytes } = this;
    for (const [index, head] of digester.messageHeads().entries())
      bytes.set(head, calls.heads.value + index * headBytes);
    calls.setHashKey(...digester.hashKey());
    calls.setDigesting(1);
    calls.freeAll();
    calls.beginList(expected);
    this.#settleHit = settleHit;
  }

  /** The element that brought the same text of this column before, or -1; then this one is remembered for it. */
  ownerOf(column: number, element: number, text: string): number {
    const start = this.calls.output.value;
    return this.calls.ownerOf(column, element, start, start + this.bytes.write(text, start));
  }

  /** Nobody uses it. */
  endList(): void {
    this.#settleHit = () => false;
  }
}

/** What a module may keep when it is not in use, in bytes, and how many of them there are. */
const mostKept = 16 * 1024 * 1024;
const mostIdle = 2;
const idle: ReaderModule[] = [];

/** A module that nobody else uses until it is given back. */
export const takeModule = (): ReaderModule => idle.pop() ?? new ReaderModule();

/** Gives a module back, so that its memory is used again. */
export function giveBack(module: ReaderModule): void {
  module.endList();
  if (idle.length < mostIdle && module.bytes.length <= mostKept) idle.push(module);
}
