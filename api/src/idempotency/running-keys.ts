import { HttpError } from '../http/errors.js';

/** The Idempotency-Keys whose calls are under way in this process. */
export class RunningKeys {
  readonly #running = new Set<string>();

  /** Runs a call, alone of its key: 409 while another is under way. Without a key it just runs. */
  async alone<T>(keyHash: string | undefined, run: () => Promise<T>): Promise<T> {
    if (keyHash === undefined) return run();
    if (this.#running.has(keyHash)) throw new HttpError('conflict');
    this.#running.add(keyHash);
    try {
      return await run();
    } finally {
      this.#running.delete(keyHash);
    }
  }
}
