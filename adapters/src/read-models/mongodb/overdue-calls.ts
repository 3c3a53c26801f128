/** The driver's own time-outs have ended by then whatever they can end. */
const LOST_MS = 5_000;

/**
 * Calls that the driver has not ended although their time is over. One whose connection is given up while it still waits to send
 * the rest of a command never ends, and keeps its place in the driver's pool.
 */
export class OverdueCalls {
  readonly #since = new Map<Promise<unknown>, number>();

  add(call: Promise<unknown>): void {
    const ended = (): void => void this.#since.delete(call);
    this.#since.set(call, performance.now());
    call.then(ended, ended);
  }

  /** Whether one of them will never end. */
  get areLost(): boolean {
    return [...this.#since.values()].some((since) => performance.now() - since > LOST_MS);
  }
}
