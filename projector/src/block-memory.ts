import { releaseMemory, type DocumentWrite } from '@rollcall/application/read';

type Memory = Uint8Array<ArrayBuffer>;

const maxCopyBytes = 2 * 1024 * 1024;
const maxReused = 64;

/** Reuses the memory of blocks: fresh memory costs more than filling it. */
export class BlockMemory {
  #copies: Memory | undefined;
  #copied = 0;
  readonly #free: Memory[] = [];
  #written: Memory[] = [];
  #filled: Memory[] = [];

  forgetCopies(): void {
    this.#copied = 0;
  }

  copy(value: Uint8Array): Uint8Array {
    const start = this.#copied;
    if (start + value.length > maxCopyBytes) return Buffer.from(value);
    this.#copies ??= new Uint8Array(Buffer.allocUnsafeSlow(maxCopyBytes).buffer);
    this.#copies.set(value, start);
    this.#copied += value.length;
    return this.#copies.subarray(start, this.#copied);
  }

  take(): Memory | undefined {
    return this.#free.pop();
  }

  /** The memory of these writes must not be used elsewhere. */
  filled(writes: readonly DocumentWrite[]): void {
    for (const write of writes)
      if (write.op === 'put' && write.value.buffer instanceof ArrayBuffer)
        this.#filled.push(new Uint8Array(write.value.buffer));
  }

  /** Filled memory is being written; the previous one is free. */
  goesToStore(): void {
    this.#free.push(...this.#written);
    this.#written = this.#filled;
    this.#filled = [];
  }

  release(): void {
    this.goesToStore();
    const rest = [...this.#free, ...this.#written];
    if (rest.length > maxReused) for (const { buffer } of rest) releaseMemory(buffer);
    if (this.#copies) releaseMemory(this.#copies.buffer);
  }
}
