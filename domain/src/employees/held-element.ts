import { giveBack, type ReaderModule, takeModule } from './reader-module.js';

/** An entry of `changed`; `digests` has four words for each element. */
export interface ChangedEntry {
  readonly number: number;
  readonly element: number;
  readonly digests: Uint32Array;
}

/** An entry of `added`. */
export interface AddedEntry extends ChangedEntry {
  readonly ids: Uint32Array;
  /** When it is invited, or null. */
  readonly due: string | null;
}

/** One element at a time, in the module: read again, and written as an entry of an event. */
export class HeldElement {
  readonly #module: ReaderModule;

  private constructor(module: ReaderModule) {
    this.#module = module;
  }

  /** Lends one for as long as `work` runs. What it has written is to be taken before. */
  static use<T>(work: (held: HeldElement) => T): T {
    const module = takeModule();
    module.calls.beginOutput();
    try {
      return work(new HeldElement(module));
    } finally {
      giveBack(module);
    }
  }

  /** Takes over bytes in which elements lie, at most `pieceBytes`. */
  load(bytes: Uint8Array): void {
    this.#module.bytes.set(bytes, this.#module.calls.window.value);
    this.#module.calls.endWindow(bytes.length);
  }

  /** Reads the element of so many bytes at `offset` of what was loaded; false where it is left to the rules in full. */
  hold(offset: number, length: number, mayHaveUnknown: boolean): boolean {
    return this.#module.calls.holdElement(offset, length, Number(mayHaveUnknown)) !== 0;
  }

  /** Its InvitationDate. */
  get invitationDate(): string | undefined {
    const { calls } = this.#module;
    const start = calls.heldDate();
    return start === 0
      ? undefined
      : this.#module.bytes.toString('latin1', start, start + calls.heldDateLength());
  }

  /** Writes it as an entry of `added`. */
  putAdded({ number, element, ids, digests, due }: AddedEntry): void {
    const { calls, bytes } = this.#module;
    this.#putWords(ids, element, calls.idDigest.value);
    this.#putWords(digests, element, calls.digest.value);
    calls.putAdded(number, due === null ? 0 : bytes.write(due, calls.due.value, 'latin1'));
  }

  /** The same as an entry of `changed`. */
  putChanged({ number, element, digests }: ChangedEntry): void {
    this.#putWords(digests, element, this.#module.calls.digest.value);
    this.#module.calls.putChanged(number);
  }

  #putWords(words: Uint32Array, element: number, place: number): void {
    const memory = this.#module.words;
    const from = element * 4;
    const to = place / 4;
    for (let word = 0; word < 4; word++) memory[to + word] = words[from + word] ?? 0;
  }

  /** Writes a comma, which no entry has in front of it. */
  putComma(): void {
    this.#module.calls.putByte(0x2c);
  }

  /** Writes text of any other kind, at most 16 KiB. */
  putText(text: Uint8Array): void {
    const { calls, bytes } = this.#module;
    bytes.set(text, calls.output.value + calls.outputLength());
    calls.addOutput(text.length);
  }

  /** Bytes written so far, at most 192 KiB. */
  get written(): number {
    return this.#module.calls.outputLength();
  }

  /** All that was written. Valid for as long as the element is lent, and nothing else is written. */
  get output(): Uint8Array {
    const { calls, bytes } = this.#module;
    return bytes.subarray(calls.output.value, calls.output.value + calls.outputLength());
  }
}
