import { finished, type Writable } from 'node:stream';
import { HttpError } from './errors.js';

/** Bytes held for arriving bodies and unread answers: of the process, and at most half for one API user (docs/contract, "Bodies under way"). */
export class BodyBudget {
  readonly #most: number;
  readonly #ofUsers = new Map<number, number>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  open(userId: number): HeldBody {
    return new HeldBody((bytes) => this.#take(userId, bytes), this.#most / 2);
  }

  /** Until the answer is read or its caller is gone. A 503 where there is no room; with nothing else held, there always is. */
  holdUntilRead(userId: number, bytes: number, answer: Writable): undefined {
    const held = this.open(userId);
    finished(answer, () => held.release());
    held.reach(bytes);
  }

  /** For an operator's page, which has the whole body or makes it. */
  async during<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const held = this.open(0);
    try {
      held.reach(bytes);
      return await work();
    } finally {
      held.release();
    }
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
  readonly #most: number;
  #bytes = 0;

  constructor(take: (bytes: number) => boolean, most: number) {
    this.#take = take;
    this.#most = most;
  }

  /** Holds this many bytes in total, if not more already; of a larger body the most that one may hold. A 503 where there is no room. */
  reach(bytes: number): void {
    const more = Math.min(bytes, this.#most) - this.#bytes;
    if (more <= 0) return;
    if (!this.#take(more)) throw noRoom();
    this.#bytes += more;
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
      'The bodies and answers that are under way fill the memory that the service has for them. Send the call again after the seconds in Retry-After.',
    headers: { 'retry-after': '5' },
    reason: 'the budget of bodies is used up',
  });

/** Chunks of at least this size are kept as they are; smaller ones are copied together. */
const minOwnBytes = 4 * 1024;
const blockBytes = 16 * 1024;

type Chunk = Uint8Array<ArrayBuffer>;

/** Chunks of a body on memory of their own, so that another thread can take them. Tiny chunks share blocks. */
export class BodyBuffer {
  #chunks: Chunk[] = [];
  #length = 0;
  /** Takes small chunks; its used part is the last element of `#chunks`. */
  #block: Chunk | undefined;

  get length(): number {
    return this.#length;
  }

  /** Takes the chunk's memory over. */
  add(chunk: Uint8Array): undefined {
    this.#length += chunk.byteLength;
    if (this.#addToBlock(chunk)) return;
    const isLarge = chunk.byteLength >= minOwnBytes || this.#chunks.length === 0;
    if (isLarge && isOwn(chunk)) {
      this.#block = undefined;
      this.#chunks.push(chunk);
      return;
    }
    this.#block = new Uint8Array(Math.max(blockBytes, chunk.byteLength));
    this.#block.set(chunk);
    this.#chunks.push(this.#block.subarray(0, chunk.byteLength));
  }

  /** Returns everything, in order, and holds nothing afterwards. */
  take(): readonly Chunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#length = 0;
    this.#block = undefined;
    return chunks;
  }

  takeWhole(): Chunk {
    const length = this.#length;
    const [first, ...others] = this.take();
    if (first && others.length === 0) return first;
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of first ? [first, ...others] : []) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  }

  #addToBlock(chunk: Uint8Array): boolean {
    const block = this.#block;
    const last = this.#chunks.at(-1);
    if (!block || !last || last.byteLength + chunk.byteLength > block.byteLength) return false;
    block.set(chunk, last.byteLength);
    this.#chunks[this.#chunks.length - 1] = block.subarray(0, last.byteLength + chunk.byteLength);
    return true;
  }
}

function isOwn(chunk: Uint8Array): chunk is Chunk {
  return chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength;
}
