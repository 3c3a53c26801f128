import { HttpError } from './errors.js';

/**
 * Counts the bytes that are held for bodies under way: those of the process, and of these at most half for one API user
 * (docs/contract, "Bodies under way").
 */
export class BodyBudget {
  readonly #most: number;
  readonly #ofUsers = new Map<number, number>();
  #held = 0;

  /** `most` bytes for the whole process. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What one body of this API user holds; nothing at first. */
  open(userId: number): HeldBody {
    return new HeldBody((bytes) => this.#take(userId, bytes));
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held;
  }

  /** Gives back where `bytes` are negative. False, and nothing taken, where there is no room. */
  #take(userId: number, bytes: number): boolean {
    const ofUser = (this.#ofUsers.get(userId) ?? 0) + bytes;
    if (bytes > 0 && (this.#held + bytes > this.#most || ofUser > this.#most / 2)) return false;
    this.#held += bytes;
    if (ofUser === 0) this.#ofUsers.delete(userId);
    else this.#ofUsers.set(userId, ofUser);
    return true;
  }
}

/** The part of the budget that one body holds, from its first byte until nobody needs it any more. */
export class HeldBody {
  readonly #take: (bytes: number) => boolean;
  #bytes = 0;

  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** Holds at least so many bytes altogether. A 503 where the budget has no room for them. */
  reach(bytes: number): void {
    const more = bytes - this.#bytes;
    if (more <= 0) return;
    if (!this.#take(more)) throw noRoom();
    this.#bytes = bytes;
  }

  /** Gives all of it back; again does nothing. */
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
