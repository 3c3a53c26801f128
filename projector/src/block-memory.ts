import { releaseMemory, type DocumentWrite } from '@rollcall/application/read';

type Memory = Uint8Array<ArrayBuffer>;

/** Blocks that are read together are copied to one piece of memory, where they have room in it. */
const COPY_BYTES = 2 * 1024 * 1024;
/** A few are left to the collector of garbage. */
const FEW = 64;

/** The memory of blocks on their way from the store and back to it, used again: fresh memory costs more than what is written to it. */
export class BlockMemory {
  #copies: Memory | undefined;
  #copied = 0;
  readonly #free: Memory[] = [];
  #written: Memory[] = [];
  #filled: Memory[] = [];

  /** Those that were copied before are not looked at any more. */
  forgetCopies(): void {
    this.#copied = 0;
  }

  copy(value: Uint8Array): Uint8Array {
    const start = this.#copied;
    if (start + value.length > COPY_BYTES) return Buffer.from(value);
    this.#copies ??= new Uint8Array(Buffer.allocUnsafeSlow(COPY_BYTES).buffer);
    this.#copies.set(value, start);
    this.#copied += value.length;
    return this.#copies.subarray(start, this.#copied);
  }

  /** For a block that is made. */
  take(): Memory | undefined {
    return this.#free.pop();
  }

  /** What the blocks of these writes lie in: nobody else uses it. */
  filled(writes: readonly DocumentWrite[]): void {
    for (const write of writes)
      if (write.op === 'put' && write.value.buffer instanceof ArrayBuffer)
        this.#filled.push(new Uint8Array(write.value.buffer));
  }

  /** What was filled goes to the store now; what went there before is written. */
  goesToStore(): void {
    this.#free.push(...this.#written);
    this.#written = this.#filled;
    this.#filled = [];
  }

  /** All is written. */
  release(): void {
    this.goesToStore();
    const rest = [...this.#free, ...this.#written];
    if (rest.length > FEW) for (const { buffer } of rest) releaseMemory(buffer);
    if (this.#copies) releaseMemory(this.#copies.buffer);
  }
}
