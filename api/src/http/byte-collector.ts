/** Collects chunks in one block of memory that grows by doubling; nothing is joined at the end. */
export class ByteCollector {
  /** The most bytes that it takes. */
  readonly limit: number;
  #block: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** `expected` bytes are allocated at once. */
  constructor(options: { readonly limit: number; readonly expected: number }) {
    this.limit = options.limit;
    this.#block = new Uint8Array(Math.min(options.expected, options.limit));
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

  /** All that was taken, on memory of its own: it may be handed to another thread. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#block.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const block = new Uint8Array(Math.min(this.limit, Math.max(length, this.#block.byteLength * 2)));
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}
