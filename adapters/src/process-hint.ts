import { createHash } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const environmentKey = 'rollcall-hints';
/** Names hash to these counters; a collision costs one spurious wake-up. */
const counterCount = 1024;

/** The first thread creates the counters; later threads inherit them. */
function countersOfProcess(): Int32Array<SharedArrayBuffer> {
  const known: unknown = getEnvironmentData(environmentKey);
  if (known instanceof SharedArrayBuffer) return new Int32Array(known);
  const made = new SharedArrayBuffer(counterCount * Int32Array.BYTES_PER_ELEMENT);
  setEnvironmentData(environmentKey, made);
  return new Int32Array(made);
}

const wakeCounters = countersOfProcess();

const counterOf = (name: string): number =>
  createHash('sha256').update(name).digest().readUInt32LE() % counterCount;

/** Wakes other threads and handles of this process. Wake-ups may merge, so each woken one looks for itself. */
export class ProcessHint {
  readonly #counter: number;
  readonly #onWake: () => void;
  #isListening = false;

  /** `onWake` runs once per `listen`. */
  constructor(name: string, onWake: () => void) {
    this.#counter = counterOf(name);
    this.#onWake = onWake;
  }

  /** Does not keep the process alive. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const waited = Atomics.waitAsync(wakeCounters, this.#counter, Atomics.load(wakeCounters, this.#counter));
    void Promise.resolve(waited.value).then(() => {
      this.#isListening = false;
      this.#onWake();
    });
  }

  wake(): void {
    Atomics.add(wakeCounters, this.#counter, 1);
    Atomics.notify(wakeCounters, this.#counter);
  }
}
