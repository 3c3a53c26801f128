import type { KeptKey } from './pending.js';

/** How long an Idempotency-Key is kept (docs/contract, "Idempotency-Key"). */
export const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** From this many entries on a run is closed, so that adding a key copies no more than these. */
const runLength = 256;

/** Keys stay for longer than they count: a call that waited is decided by the time when it came. */
const graceMs = 60 * 60 * 1000;

/** null: the key was freed. */
type Run = ReadonlyMap<string, KeptKey | null>;

const isDead = (key: KeptKey | null, now: number): boolean =>
  key === null || Date.parse(key.at) + keyLifetimeMs <= now;

/**
 * The Idempotency-Keys of a company. A value: each change gives another one and costs the same however many there are,
 * because only the last of its runs is copied.
 */
export class KeptKeys {
  readonly #closed: readonly Run[];
  readonly #open: Run;

  private constructor(closed: readonly Run[], open: Run) {
    this.#closed = closed;
    this.#open = open;
  }

  static of(entries: Iterable<readonly [keyHash: string, KeptKey]>): KeptKeys {
    return new KeptKeys([], new Map(entries));
  }

  /** The key where it is kept; `now` in milliseconds. */
  get(keyHash: string, now: number): KeptKey | undefined {
    const key = this.#find(keyHash);
    return key === undefined || isDead(key, now) ? undefined : (key ?? undefined);
  }

  #find(keyHash: string): KeptKey | null | undefined {
    const open = this.#open.get(keyHash);
    if (open !== undefined) return open;
    return this.#closed.findLast((run) => run.has(keyHash))?.get(keyHash);
  }

  /** With one more; those whose time was over by then go. */
  with(keyHash: string, key: KeptKey): KeptKeys {
    return this.#put(keyHash, key, Date.parse(key.at));
  }

  /** Without the key, where the operation holds it. */
  freed(keyHash: string, operationId: string): KeptKeys {
    return this.#find(keyHash)?.operationId === operationId ? this.#put(keyHash, null) : this;
  }

  #put(keyHash: string, key: KeptKey | null, now?: number): KeptKeys {
    const open = new Map(this.#open).set(keyHash, key);
    if (open.size < runLength) return new KeptKeys(this.#closed, open);
    const closed = [...this.#closed, open];
    // Oldest first, up to one that still counts: what a newer run says of a key must not go before what it hides.
    const alive = now === undefined ? 0 : closed.findIndex((run) => isAlive(run, now - graceMs));
    return new KeptKeys(alive < 0 ? [] : closed.slice(alive), new Map());
  }

  /** Those that are kept; perhaps with some whose time is over. */
  entries(): readonly (readonly [keyHash: string, KeptKey])[] {
    const all = new Map([...this.#closed, this.#open].flatMap((run) => [...run]));
    return [...all].flatMap(([keyHash, key]) => (key === null ? [] : [[keyHash, key] as const]));
  }

  /** About how many. */
  get size(): number {
    return this.#closed.reduce((sum, run) => sum + run.size, this.#open.size);
  }
}

const isAlive = (run: Run, now: number): boolean => [...run.values()].some((key) => !isDead(key, now));
