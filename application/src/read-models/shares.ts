import type { Position } from '../ports/event-log.js';
import type { Progress, Share } from '../ports/read-models.js';

/** Projectors divide the parts of the streams among themselves (decision 0026). */
export const streamParts = 64;

/** A set of parts: a bit for each. */
type Parts = bigint;
const allParts: Parts = (1n << BigInt(streamParts)) - 1n;

/** What stands between the first and the second dash of a name: the company, where the name has one. Its last digits. */
const lastDigits = /^[a-z]+-[0-9a-f]*?(?<digits>[0-9a-f]{1,3})(?:-|$)/;

/**
 * The part of a stream: by the last three digits of its company, so that a server can choose streams by a pattern of their
 * names (decision 0026). Names without such a number are in part 0.
 */
export function partOf(stream: string): Parts {
  const digits = lastDigits.exec(stream)?.groups?.['digits'] ?? '';
  return partOfNumber(digits.split('').reduce((sum, digit) => sum * 10 + Number.parseInt(digit, 16), 0));
}

/** Neighbours are far from each other: a holder has a run of parts. */
const partOfNumber = (number: number): Parts => bitOf(number * 37);

const bitOf = (sum: number): Parts => 1n << BigInt(sum % streamParts);

/** A regular expression, for .NET and JavaScript, that the beginning of a name matches if the stream is in these parts. Of all: none. */
export function patternOfParts(parts: Parts): string | undefined {
  if ((parts & 1n) === 0n) return `(?=${namesIn(parts)})`;
  return parts === allParts ? undefined : `(?!${namesIn(allParts & ~parts)})`;
}

function namesIn(parts: Parts): string {
  const [one, two, three] = [1, 2, 3].map((length) => digitsIn(parts, length) ?? '$.');
  return `[a-z]+-(?:${one}|${two}|[0-9a-f]*${three})(?:-|$)`;
}

/** Undefined where no number of so few digits after these is in a part. */
function digitsIn(parts: Parts, length: number, sum = 0): string | undefined {
  if (length === 0) return (parts & partOfNumber(sum)) === 0n ? undefined : '';
  const byRest = new Map<string, string>();
  for (let digit = 0; digit < 16; digit += 1) {
    const rest = digitsIn(parts, length - 1, sum * 10 + digit);
    if (rest !== undefined) byRest.set(rest, (byRest.get(rest) ?? '') + digit.toString(16));
  }
  if (byRest.size === 0) return undefined;
  return `(?:${[...byRest].map(([rest, digits]) => `[${digits}]${rest}`).join('|')})`;
}

export function numbersOf(parts: Parts): readonly number[] {
  return Array.from({ length: streamParts }, (_, part) => part).filter(
    (part) => (parts & bitOf(part)) !== 0n,
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

interface ProgressMove {
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
  const last = newerLast(stored, next);
  return withShares(
    { ...stored, ...(last && { last }), ...(next.copied && { copied: next.copied }) },
    shares,
  );
}

/** A holder without events of its own moves with an older one. Where the position is missing, it may be as high as the progress. */
function newerLast(stored: Progress, { last }: Progress): Progress['last'] {
  if (stored.last === undefined || last?.position === undefined) return stored.last ?? last;
  return BigInt(last.position) > BigInt(stored.last.position ?? furthest(stored) ?? -1) ? last : stored.last;
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

const bitsOf = (parts: readonly number[]): Parts => parts.reduce((sum, part) => sum | bitOf(part), 0n);

/** These parts of a share go to another holder. */
const split = (share: Share, parts: Parts, holder: string | null): readonly Share[] => [
  { ...share, parts: share.parts & ~parts },
  { ...share, holder, parts: share.parts & parts, beats: 0 },
];
