/** Collects chunks in one block of memory that grows by doubling; nothing is joined at the end. */
export class ByteCollector {
  /** The most bytes that it takes. */
  readonly limit: number;
  readonly #shared: boolean;
  #block: Uint8Array;
  #length = 0;

  /** `expected` bytes are allocated at once. A shared block can be handed to worker threads without a copy. */
  constructor(options: { readonly limit: number; readonly expected: number; readonly shared: boolean }) {
    this.limit = options.limit;
    this.#shared = options.shared;
    this.#block = this.#allocate(Math.min(options.expected, options.limit));
  }

  /** False, and nothing taken, where the limit would be passed. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.byteLength;
    if (length > this.limit) return false;
    if (length > this.#block.byteLength) this.#grow(length);
    this.#block.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Uint8Array {
    return this.#block.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const block = this.#allocate(Math.min(this.limit, Math.max(length, this.#block.byteLength * 2)));
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }

  #allocate(size: number): Uint8Array {
    return this.#shared ? new Uint8Array(new SharedArrayBuffer(size)) : new Uint8Array(size);
  }
}
