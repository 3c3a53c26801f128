import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Probe } from './probes.js';
import type { ToSmallCallers } from './small-callers-entry.js';

const entry = fileURLToPath(new URL('./small-callers-entry.js', import.meta.url));

/**
 * Small callers in a process of their own: whoever sends a large body is busy with that, and would find the answers to
 * small calls later than they came.
 */
export class SmallCallers {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<SmallCallers> {
    const child = fork(entry);
    await once(child, 'message');
    return new SmallCallers(child);
  }

  /** Lets each of them call, over and over, while the work goes on; milliseconds of all calls, caller by caller. */
  async beside<T>(probes: readonly Probe[], work: () => Promise<T>): Promise<[readonly number[][], T]> {
    this.#tell({ begin: probes });
    const result = await work();
    const told = once(this.#child, 'message') as Promise<[number[][]]>;
    this.#tell('tell');
    const [times] = await Promise.race([told, this.#lost()]);
    return [times, result];
  }

  end(): void {
    this.#child.kill();
  }

  async #lost(): Promise<never> {
    await once(this.#child, 'exit');
    throw new Error('The process of the small callers ended');
  }

  #tell(message: ToSmallCallers): void {
    this.#child.send(message);
  }
}
