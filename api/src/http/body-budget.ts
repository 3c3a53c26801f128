import { HttpError } from './errors.js';

/** Bytes held for arriving bodies: of the process, and at most half for one API user (docs/contract, "Bodies under way"). */
export class BodyBudget {
  readonly #most: number;
  readonly #ofUsers = new Map<number, number>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  open(userId: number): HeldBody {
    return new HeldBody((bytes) => this.#take(userId, bytes));
  }

  get held(): number {
    return this.#held;
  }

  /** Negative `bytes` are given back. False, and nothing taken, where there is no room. */
  #take(userId: number, bytes: number): boolean {
    const ofUser = (this.#ofUsers.get(userId) ?? 0) + bytes;
    if (bytes > 0 && (this.#held + bytes > this.#most || ofUser > this.#most / 2)) return false;
    this.#held += bytes;
    if (ofUser === 0) this.#ofUsers.delete(userId);
    else this.#ofUsers.set(userId, ofUser);
    return true;
  }
}

/** One body's share of the budget, from its first byte until its release. */
export class HeldBody {
  readonly #take: (bytes: number) => boolean;
  #bytes = 0;

  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** Holds at least this many bytes in total. A 503 where the budget has no room. */
  reach(bytes: number): void {
    const more = bytes - this.#bytes;
    if (more <= 0) return;
    if (!this.#take(more)) throw noRoom();
    this.#bytes = bytes;
  }

  /** Gives everything back; idempotent. */
  release(): void {
    this.#take(-this.#bytes);
    this.#bytes = 0;
  }
}

const noRoom = (): HttpError =>
  new HttpError('unavailable', {
    message:
      'The bodies that are under way fill the memory that the service has for them. Send the call again after the seconds in Retry-After.',
    headers: { 'retry-after': '5' },
    reason: 'the budget of bodies is used up',
  });
