/** By then the driver's own timeouts have ended what they can. */
const lostAfterMs = 5_000;

/** Calls past their deadline. One whose connection closes during the send never ends, and keeps its pool slot. */
export class OverdueCalls {
  readonly #since = new Map<Promise<unknown>, number>();

  add(call: Promise<unknown>): void {
    const ended = (): void => void this.#since.delete(call);
    this.#since.set(call, performance.now());
    call.then(ended, ended);
  }

  get areLost(): boolean {
    return [...this.#since.values()].some((since) => performance.now() - since > lostAfterMs);
  }
}
