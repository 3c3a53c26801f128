import type { Position } from '../ports/event-log.js';
import type { Progress, Share } from '../ports/read-models.js';

/** Projectors divide the parts of the streams among themselves (decision 0026). */
export const streamParts = 64;

/** A set of parts: a bit for each. */
type Parts = bigint;
const allParts: Parts = (1n << BigInt(streamParts)) - 1n;

/** The part of a stream: by what stands between the first and the second dash, which is the company where the name has one. */
export function partOf(stream: string): Parts {
  const from = stream.indexOf('-') + 1;
  const to = stream.indexOf('-', from);
  let hash = 0x811c9dc5;
  for (let at = from; at < (to < 0 ? stream.length : to); at += 1)
    hash = Math.imul(hash ^ stream.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return 1n << BigInt((hash ^ (hash >>> 13)) & (streamParts - 1));
}

export function numbersOf(parts: Parts): readonly number[] {
  return Array.from({ length: streamParts }, (_, part) => part).filter(
    (part) => (parts & (1n << BigInt(part))) !== 0n,
  );
}

/** Such as `0-31, 40`. */
export function partsText(parts: Parts): string {
  const ranges: [number, number][] = [];
  for (const part of numbersOf(parts)) {
    const last = ranges.at(-1);
    if (last?.[1] === part - 1) last[1] = part;
    else ranges.push([part, part]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

export const partsOf = (shares: readonly Share[]): Parts =>
  shares.reduce((sum, { parts }) => sum | parts, 0n);

/** Before anybody shares, all parts stand at one position and are nobody's. */
export const sharesOf = ({ shares, position }: Pick<Progress, 'shares' | 'position'>): readonly Share[] =>
  shares ?? [{ holder: null, parts: allParts, position, beats: 0 }];

/** Everything up to here is applied in all of these. */
const lowest = (shares: readonly Share[]): Position | undefined =>
  shares.filter(({ parts }) => parts !== 0n).reduce<Position | undefined>(lower, behindAll);

/** The parts that stand behind others. */
export const laggingParts = (progress: Progress): Parts =>
  partsOf(sharesOf(progress).filter(({ position }) => position !== furthest(progress)));

/** Nothing behind it is applied, but what is under way. */
export const furthest = (progress: Progress): Position | undefined =>
  sharesOf(progress).reduce<Position | undefined>((most, { position }) => later(most, position), undefined);

const behindAll: Position = 2n ** 64n;

const lower = (one: Position | undefined, { position }: Share): Position | undefined =>
  one === undefined || position === undefined ? undefined : one < position ? one : position;

const later = (one: Position | undefined, other: Position | undefined): Position | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

/** With one share for each holder and position. One that nobody holds and that has all parts is none. */
export function withShares({ last, copied }: Progress, changed: readonly Share[]): Progress {
  const shares = merged(changed.filter((one) => counts(one, changed)));
  const isNobodys = shares.length === 1 && shares[0]?.holder === null;
  return {
    position: lowest(shares),
    ...(last && { last }),
    ...(copied && { copied }),
    ...(!isNobodys && { shares }),
  };
}

function merged(shares: readonly Share[]): readonly Share[] {
  const all = new Map<string, Share>();
  for (const share of shares) {
    const name = `${share.holder} ${share.position}`;
    all.set(name, { ...share, parts: share.parts | (all.get(name)?.parts ?? 0n) });
  }
  return [...all.values()];
}

/** A holder without parts waits for some. */
const counts = ({ holder, parts }: Share, all: readonly Share[]): boolean =>
  parts !== 0n || (holder !== null && !all.some((one) => one.holder === holder && one.parts !== 0n));

/** What a holder has, as if there were nothing else. */
export function progressOfHolder(progress: Progress, holder: string | undefined): Progress {
  if (holder === undefined) return progress;
  const shares = sharesOf(progress).filter((one) => one.holder === holder);
  return { ...progress, shares, position: lowest(shares) };
}

export interface ProgressMove {
  readonly expected: Progress;
  readonly next: Progress;
  /** Whose shares move; without one, all of a progress that nobody holds. */
  readonly holder?: string | undefined;
}

/** The progress after a move; undefined where the present one, or the holder's shares, are not as expected. */
export function movedProgress(stored: Progress, move: ProgressMove): Progress | undefined {
  const { expected, next, holder } = move;
  if (!isExpected(progressOfHolder(stored, holder), move)) return undefined;
  const isOwn = (share: Share): boolean => holder === undefined || share.holder === holder;
  const shares =
    next.position === expected.position
      ? sharesOf(stored)
      : sharesOf(stored).map((one) =>
          isOwn(one) ? { ...one, position: later(one.position, next.position) } : one,
        );
  const isFurthest = later(furthest(stored), next.position) === next.position;
  const last = isFurthest ? (next.last ?? stored.last) : stored.last;
  return withShares(
    { ...stored, ...(last && { last }), ...(next.copied && { copied: next.copied }) },
    shares,
  );
}

/** A holder has the parts that it thinks it has. Others have seen all, and move only what nobody holds. */
function isExpected(own: Progress, { expected, next, holder }: ProgressMove): boolean {
  if (own.position !== expected.position) return false;
  const [now, then] = [sharesOf(own), sharesOf(progressOfHolder(expected, holder))];
  if (holder !== undefined) return partsOf(now) === partsOf(then);
  const isHeld = now.some((one) => one.holder !== null);
  return positionsOf(now) === positionsOf(then) && !(isHeld && next.position !== expected.position);
}

const positionsOf = (shares: readonly Share[]): string =>
  shares
    .map(({ parts, position }) => `${parts} ${position}`)
    .sort()
    .join();

/** Up to where everything of this stream is applied or passed by. */
export const positionOfStream = (progress: Progress, stream: string): Position | undefined =>
  lowest(sharesOf(progress).filter(({ parts }) => (parts & partOf(stream)) !== 0n));

/** The shares once one of the holders has taken what is due to it: the parts are spread evenly over all who are not gone. */
export function rebalanced(
  shares: readonly Share[],
  holder: string,
  gone: ReadonlySet<string> = new Set(),
): readonly Share[] {
  const freed = shares.map((one) =>
    one.holder !== null && gone.has(one.holder) ? { ...one, holder: null } : one,
  );
  const holders = [...new Set([holder, ...freed.flatMap((one) => one.holder ?? [])])].sort();
  const due = Math.floor((streamParts + holders.length - 1 - holders.indexOf(holder)) / holders.length);
  const own = numbersOf(partsOf(freed.filter((one) => one.holder === holder)));
  const free = numbersOf(partsOf(freed.filter((one) => one.holder === null)));
  const surplus = bitsOf(own.slice(due));
  const wanted = bitsOf(free.slice(0, Math.max(0, due - own.length)));
  const moved = freed.flatMap((one): readonly Share[] => {
    if (one.holder === holder) return split(one, surplus, null);
    return one.holder === null ? split(one, wanted, holder) : [one];
  });
  const { beats = 0 } = shares.find((one) => one.holder === holder) ?? {};
  return [{ holder, parts: 0n, position: undefined, beats }, ...moved];
}

const bitsOf = (parts: readonly number[]): Parts =>
  parts.reduce((sum, part) => sum | (1n << BigInt(part)), 0n);

/** These parts of a share go to another holder. */
const split = (share: Share, parts: Parts, holder: string | null): readonly Share[] => [
  { ...share, parts: share.parts & ~parts },
  { ...share, holder, parts: share.parts & parts, beats: 0 },
];
