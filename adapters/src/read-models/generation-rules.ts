import type { GenerationInfo, LastProjected, Progress } from '@rollcall/application';

/** A generation that nobody of its version reads any more, or that was begun and left alone, goes so long afterwards. */
const UNUSED_MS = 60 * 60_000;
/** One that processes of another version may still read goes when it was not written to for so long. */
const OTHER_VERSION_MS = 24 * UNUSED_MS;
/** Of so many versions, besides the newest, generations are kept for their processes. */
const OTHER_VERSIONS = 2;

/** What a store knows of a generation; times are ms since the epoch. */
export interface KnownGeneration {
  readonly number: number;
  /** Of the projections that fill it; null where it does not say. */
  readonly version: string | null;
  readonly begun: number;
  /** Since when it is complete, and may be read; null while it is being built. */
  readonly since: number | null;
  /** When it was last written to. */
  readonly written: number;
  readonly progress: Progress;
}

/** A `Progress` as stored. */
export interface StoredProgress {
  /** Decimal digits. */
  readonly position: string | null;
  readonly last?: LastProjected;
}

export const storedProgress = ({ position, last }: Progress): StoredProgress => ({
  position: position?.toString() ?? null,
  ...(last && { last }),
});

/** As the port has it; of a generation that was just begun there may be none. */
export const progressOf = (stored: StoredProgress | undefined): Progress => ({
  position: typeof stored?.position === 'string' ? BigInt(stored.position) : undefined,
  ...(stored?.last && { last: stored.last }),
});

/** Which version of the projections a process reads; undefined, for tools and tests: whichever is there. */
export type OwnVersion = string | undefined;

type Placed = Pick<KnownGeneration, 'number' | 'version' | 'since'>;

const isOwn = ({ version }: Placed, own: OwnVersion): boolean => own === undefined || version === own;

/** The generation that a process of this version reads: the newest complete one. */
export const liveOf = <G extends Placed>(all: readonly G[], own: OwnVersion): G | undefined =>
  newest(all.filter((one) => one.since !== null && isOwn(one, own)));

/** The newest one of this version that is being built and was not left alone for too long. */
export const unfinishedOf = (
  all: readonly KnownGeneration[],
  own: OwnVersion,
  now: number,
): KnownGeneration | undefined =>
  newest(all.filter((one) => one.since === null && isOwn(one, own) && !isOver(one, all, now)));

const newest = <G extends Placed>(all: readonly G[]): G | undefined =>
  all.reduce<G | undefined>((best, one) => (best && best.number > one.number ? best : one), undefined);

/** Whether a generation is to be removed: everybody comes to the same answer, whichever its version. */
export function isOver(one: KnownGeneration, all: readonly KnownGeneration[], now: number): boolean {
  if (one.since === null) return now - lastSign(one) > UNUSED_MS;
  const newer = all.filter(({ number, since }) => number > one.number && since !== null);
  const same = newer.filter(({ version }) => version === one.version);
  if (same.length > 0) return now - Math.min(...same.map(sinceOf)) > UNUSED_MS;
  if (newer.length === 0) return false;
  if (new Set(newer.map(({ version }) => version)).size > OTHER_VERSIONS)
    return now - Math.max(...newer.map(sinceOf)) > UNUSED_MS;
  return now - Math.max(lastSign(one), ...newer.map(sinceOf)) > OTHER_VERSION_MS;
}

const sinceOf = ({ since }: KnownGeneration): number => since ?? 0;

const lastSign = ({ begun, written, since }: KnownGeneration): number => Math.max(begun, written, since ?? 0);

export const nameOf = (number: number): string => `generation-${number}`;

/** What everybody may know of them, the older ones first. */
export const infosOf = (all: readonly KnownGeneration[], own: OwnVersion): GenerationInfo[] =>
  [...all]
    .sort((one, other) => one.number - other.number)
    .map((one) => ({
      name: nameOf(one.number),
      status: statusOf(one, all, own),
      version: one.version,
      at: one.since ?? lastSign(one),
      progress: one.progress,
    }));

function statusOf(
  one: KnownGeneration,
  all: readonly KnownGeneration[],
  own: OwnVersion,
): GenerationInfo['status'] {
  if (one.since === null) return isOwn(one, own) ? 'building' : 'other';
  if (liveOf(all, own) === one) return 'live';
  const newestOfIts = newest(all.filter(({ since, version }) => since !== null && version === one.version));
  return newestOfIts === one && !isOwn(one, own) ? 'other' : 'retired';
}
