import type { KeptKey } from './pending.js';

/** docs/contract, "Idempotency-Key". */
export const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** Per company; further calls are refused (docs/contract, "Many keys"). */
export const maxKeptKeys = 100_000;

const hourMs = 60 * 60 * 1000;

/** Keys are kept longer than they count: a call that waited is decided by its `receivedAt`. */
const graceMs = hourMs;

/** Adding a key copies its bucket. */
const bucketCount = 256;

type Bucket = ReadonlyMap<string, KeptKey>;

const noKeys: Bucket = new Map();
/** Shared by the companies without keys, which are most. */
const noBuckets: readonly Bucket[] = Array.from({ length: bucketCount }, () => noKeys);

function bucketOf(keyHash: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < keyHash.length; at++) hash = Math.imul(hash ^ keyHash.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % bucketCount;
}

const diesAt = ({ at }: KeptKey): number => Date.parse(at) + keyLifetimeMs;
const hourOf = ({ at }: KeptKey): number => Math.floor(Date.parse(at) / hourMs);

/** A company's Idempotency-Keys: an immutable value; each change copies one bucket. */
export class KeptKeys {
  readonly #buckets: readonly Bucket[];
  /** Keys per hour since the epoch. */
  readonly #hours: ReadonlyMap<number, number>;

  private constructor(buckets: readonly Bucket[], hours: ReadonlyMap<number, number>) {
    this.#buckets = buckets;
    this.#hours = hours;
  }

  static of(entries: Iterable<readonly [keyHash: string, KeptKey]>): KeptKeys {
    const buckets = new Map<number, Map<string, KeptKey>>();
    const hours = new Map<number, number>();
    for (const [keyHash, key] of entries) {
      const at = bucketOf(keyHash);
      buckets.set(at, (buckets.get(at) ?? new Map<string, KeptKey>()).set(keyHash, key));
      count(hours, key, 1);
    }
    const all = buckets.size === 0 ? noBuckets : noBuckets.map((none, at) => buckets.get(at) ?? none);
    return new KeptKeys(all, hours);
  }

  /** `now` in ms since the epoch. */
  get(keyHash: string, now: number): KeptKey | undefined {
    const key = this.#bucket(keyHash).get(keyHash);
    return key === undefined || diesAt(key) <= now ? undefined : key;
  }

  /** Also drops expired keys of the bucket. */
  with(keyHash: string, key: KeptKey): KeptKeys {
    const deadline = Date.parse(key.at) - graceMs;
    const isGone = (hash: string, each: KeptKey): boolean => hash === keyHash || diesAt(each) <= deadline;
    return this.#change(keyHash, isGone, key);
  }

  /** Without the key, if the operation holds it. */
  freed(keyHash: string, operationId: string): KeptKeys {
    const isHeld = this.#bucket(keyHash).get(keyHash)?.operationId === operationId;
    return isHeld ? this.#change(keyHash, (hash) => hash === keyHash) : this;
  }

  /** May include expired ones. */
  entries(): readonly (readonly [keyHash: string, KeptKey])[] {
    return this.#hours.size === 0 ? [] : this.#buckets.flatMap((bucket) => [...bucket]);
  }

  get size(): number {
    return [...this.#hours.values()].reduce((sum, keys) => sum + keys, 0);
  }

  /** Unexpired keys, counted by the hour: never too few. */
  kept(now: number): number {
    const counts = [...this.#hours].filter(([hour]) => (hour + 1) * hourMs + keyLifetimeMs > now);
    return counts.reduce((sum, [, keys]) => sum + keys, 0);
  }

  #bucket(keyHash: string): Bucket {
    return this.#buckets[bucketOf(keyHash)] ?? noKeys;
  }

  #change(keyHash: string, isGone: (hash: string, key: KeptKey) => boolean, added?: KeptKey): KeptKeys {
    const hours = new Map(this.#hours);
    const bucket = new Map<string, KeptKey>();
    for (const [hash, key] of this.#bucket(keyHash)) {
      if (isGone(hash, key)) count(hours, key, -1);
      else bucket.set(hash, key);
    }
    if (added) {
      bucket.set(keyHash, added);
      count(hours, added, 1);
    }
    return new KeptKeys(this.#buckets.with(bucketOf(keyHash), bucket), hours);
  }
}

function count(hours: Map<number, number>, key: KeptKey, by: 1 | -1): void {
  const hour = hourOf(key);
  const keys = (hours.get(hour) ?? 0) + by;
  if (keys === 0) hours.delete(hour);
  else hours.set(hour, keys);
}
