import type { StoredEvent } from './log-file.js';

/** As the server stores it for a stream that was deleted softly: everything before 2^63 - 1 is gone. */
export const SOFTLY_DELETED = '9223372036854775807';

export interface StreamLine {
  /** The event of revision n lies at n; nothing lies there where a scavenge took it, which leaves the last one. */
  readonly events: (StoredEvent | undefined)[];
  /** Set by a tombstone, for ever. */
  tombstone?: StoredEvent;
  /** From the stream's metadata. */
  limits: StreamLimits;
}

export interface StreamLimits {
  readonly softlyDeleted: boolean;
  readonly truncateBefore: number;
  readonly maxCount: number;
  readonly maxAgeSeconds: number;
}

export const NO_LIMITS: StreamLimits = {
  softlyDeleted: false,
  truncateBefore: 0,
  maxCount: Infinity,
  maxAgeSeconds: Infinity,
};

/** A metastream keeps its last event. */
const METASTREAM_LIMITS: StreamLimits = { ...NO_LIMITS, maxCount: 1 };

export const isMetastream = (stream: string): boolean => stream.startsWith('$$');

/** The stream that a metastream is about; any other stream itself. */
export const ownerOf = (stream: string): string => (isMetastream(stream) ? stream.slice(2) : stream);

/** How many events a soft deletion hides; undefined where the stream was not deleted so. */
export const softlyDeleted = (line: StreamLine | undefined): number | undefined =>
  line?.limits.softlyDeleted === true ? line.events.length : undefined;

export const newLine = (stream: string): StreamLine => ({
  events: [],
  limits: isMetastream(stream) ? METASTREAM_LIMITS : NO_LIMITS,
});

/** Reads `$tb`, `$maxCount` and `$maxAge` from the data of a `$metadata` event. */
export function limitsOf(data: Uint8Array): StreamLimits {
  const text = Buffer.from(data).toString('utf8');
  const stored = JSON.parse(text) as { $tb?: number; $maxCount?: number; $maxAge?: number };
  return {
    softlyDeleted: text.includes(`"$tb":${SOFTLY_DELETED}`),
    truncateBefore: stored.$tb ?? 0,
    maxCount: stored.$maxCount ?? Infinity,
    maxAgeSeconds: stored.$maxAge ?? Infinity,
  };
}

/** The first revision that a reader sees; that behind the last one where there is nothing to see. */
export function firstVisible({ events, limits }: StreamLine, nowMs: number): number {
  const from = Math.max(0, Math.min(limits.truncateBefore, events.length), events.length - limits.maxCount);
  if (limits.maxAgeSeconds === Infinity) return from;
  const oldest = BigInt(nowMs - limits.maxAgeSeconds * 1000) * 10_000n;
  const young = events.findIndex((event, index) => index >= from && BigInt(event?.created ?? 0) >= oldest);
  return young < 0 ? events.length : young;
}

/** What a scavenge takes of a stream: what no reader sees any more, but for the last event, and all that is tombstoned. */
export function scavengeable(line: StreamLine, isTombstoned: boolean, nowMs: number): StoredEvent[] {
  const kept = isTombstoned ? Infinity : Math.min(firstVisible(line, nowMs), line.events.length - 1);
  return line.events.filter((event, index) => event !== undefined && index < kept) as StoredEvent[];
}
