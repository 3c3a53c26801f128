import { createHash } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const place = 'rollcall-hints';
/** Two names may share a counter: whoever is told for nothing looks once for nothing. */
const counters = 1024;

/** The counters of the process: the first thread makes them, and each that it starts has them too. */
function countersOfProcess(): Int32Array<SharedArrayBuffer> {
  const known: unknown = getEnvironmentData(place);
  if (known instanceof SharedArrayBuffer) return new Int32Array(known);
  const made = new SharedArrayBuffer(counters * Int32Array.BYTES_PER_ELEMENT);
  setEnvironmentData(place, made);
  return new Int32Array(made);
}

const told = countersOfProcess();

const counterOf = (name: string): number =>
  createHash('sha256').update(name).digest().readUInt32LE() % counters;

/**
 * Tells the threads of this process, and the other handles in each, that there is something new. It says no more than that,
 * and many tellings may come as one: whoever is told looks by itself.
 */
export class ProcessHint {
  readonly #counter: number;
  readonly #onTold: () => void;
  #isListening = false;

  /** By this name threads and handles mean the same; `onTold` is called once for each time that it listened. */
  constructor(name: string, onTold: () => void) {
    this.#counter = counterOf(name);
    this.#onTold = onTold;
  }

  /** Waits for what is told from now on; keeps no process alive. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const waited = Atomics.waitAsync(told, this.#counter, Atomics.load(told, this.#counter));
    void Promise.resolve(waited.value).then(() => {
      this.#isListening = false;
      this.#onTold();
    });
  }

  /** Tells everybody who listens, in this thread too. */
  tell(): void {
    Atomics.add(told, this.#counter, 1);
    Atomics.notify(told, this.#counter);
  }
}
