import type { EmployeeList } from './list-builder.js';
import { windowBytes, giveBack, type ReaderModule, takeModule } from './reader-module.js';
import type { EmployeeValues } from '@rollcall/contracts';
import { type EmployeeReading, isComplete, readEmployee } from './read-employee.js';

interface ChangedEntry {
  readonly number: number;
  readonly element: number;
  readonly digests: Uint32Array;
}

interface AddedEntry extends ChangedEntry {
  readonly ids: Uint32Array;
  /** The due time of the invitation, ISO 8601 UTC, or null. */
  readonly due: string | null;
}

/** One element at a time in the reader's memory, to be written as an entry of an event. */
class HeldElement {
  readonly #module: ReaderModule;
  /** Addresses in the module's memory. To read one there costs as much as ten calls. */
  readonly #idDigest: number;
  readonly #digest: number;
  readonly #due: number;

  private constructor(module: ReaderModule) {
    const { idDigest, digest, due } = module.calls;
    this.#module = module;
    [this.#idDigest, this.#digest, this.#due] = [idDigest.value, digest.value, due.value];
  }

  /** Lends a module while `work` runs; its output must be read before `work` returns. */
  static use<T>(work: (held: HeldElement) => T): T {
    const module = takeModule();
    module.calls.beginOutput();
    try {
      return work(new HeldElement(module));
    } finally {
      giveBack(module);
    }
  }

  /** Loads bytes that contain elements, at most `windowBytes`. */
  load(bytes: Uint8Array): void {
    this.#module.bytes.set(bytes, this.#module.calls.window.value);
    this.#module.calls.endWindow(bytes.length);
  }

  /** Reads the loaded element; false if it needs the full rules. */
  hold(offset: number, length: number, mayHaveUnknown: boolean): boolean {
    return this.#module.calls.holdElement(offset, length, Number(mayHaveUnknown)) !== 0;
  }

  get invitationDate(): string | undefined {
    const { calls } = this.#module;
    const start = calls.heldDate();
    return start === 0
      ? undefined
      : this.#module.bytes.toString('latin1', start, start + calls.heldDateLength());
  }

  putAdded({ number, element, ids, digests, due }: AddedEntry): void {
    const { calls, bytes } = this.#module;
    this.#putWords(ids, element, this.#idDigest);
    this.#putWords(digests, element, this.#digest);
    calls.putAdded(number, due === null ? 0 : bytes.write(due, this.#due, 'latin1'));
  }

  putChanged({ number, element, digests }: ChangedEntry): void {
    this.#putWords(digests, element, this.#digest);
    this.#module.calls.putChanged(number);
  }

  #putWords(words: Uint32Array, element: number, place: number): void {
    const memory = this.#module.words;
    const from = element * 4;
    const to = place / 4;
    for (let word = 0; word < 4; word++) memory[to + word] = words[from + word] ?? 0;
  }

  putComma(): void {
    this.#module.calls.putByte(0x2c);
  }

  /** At most 16 KiB. */
  putText(text: Uint8Array): void {
    const { calls, bytes } = this.#module;
    bytes.set(text, calls.output.value + calls.outputLength());
    calls.addOutput(text.length);
  }

  /** Bytes, at most 192 KiB. */
  get written(): number {
    return this.#module.calls.outputLength();
  }

  /** Valid until the next write, and while the element is lent. */
  get output(): Uint8Array {
    const { calls, bytes } = this.#module;
    return bytes.subarray(calls.output.value, calls.output.value + calls.outputLength());
  }
}

/** An element this close behind the loaded bytes is read in sequence. */
const nearBytes = 4096;

export class HeldElements {
  readonly held: HeldElement;
  readonly #list: EmployeeList;
  #start = 0;
  #end = 0;

  private constructor(list: EmployeeList, held: HeldElement) {
    this.#list = list;
    this.held = held;
  }

  static use<T>(list: EmployeeList, work: (elements: HeldElements) => T): T {
    return HeldElement.use((held) => work(new HeldElements(list, held)));
  }

  hold(element: number): boolean {
    const { plain, bounds } = this.#list;
    if (plain[element] !== 1) return false;
    const start = bounds[element * 2] ?? 0;
    const end = bounds[element * 2 + 1] ?? 0;
    if (start < this.#start || end > this.#end) this.#load(start, end);
    return this.held.hold(start - this.#start, end - start, true);
  }

  /** Elements far from each other are loaded without the bytes between. */
  #load(start: number, end: number): void {
    const { bytes, bounds, count } = this.#list;
    const isNear = start >= this.#start && start < this.#end + nearBytes;
    this.#start = start;
    this.#end = isNear ? Math.min(start + windowBytes, bounds[count * 2 - 1] ?? 0) : end;
    this.held.load(bytes(start, this.#end));
  }
}

const bytesOf = ({ bytes, bounds }: EmployeeList, element: number): Buffer =>
  bytes(bounds[element * 2] ?? 0, bounds[element * 2 + 1] ?? 0);

export function readElement(list: EmployeeList, element: number): EmployeeReading {
  return readEmployee(JSON.parse(bytesOf(list, element).toString()));
}

/** Of an element of a valid list. */
export function readValuesOf(list: EmployeeList, element: number): EmployeeValues {
  const reading = readElement(list, element);
  if (!isComplete(reading)) throw new Error('an element of a valid list is not valid');
  return reading.values;
}
