import type { Position } from '../ports/event-log.js';
import type { Progress } from '../ports/read-models.js';

/** Streams are cut into this many parts, each of which is projected by one projector at a time. */
export const partCount = 64;

/** A set of parts: bit n stands for part n. */
export type Parts = bigint;

export const noParts: Parts = 0n;
export const allParts: Parts = (1n << BigInt(partCount)) - 1n;

const bitOf = (part: number): Parts => 1n << BigInt(part);

export const isIn = (parts: Parts, part: number): boolean => (parts & bitOf(part)) !== 0n;

const numbersOfParts = Array.from({ length: partCount }, (_, part) => part);

export const partsIn = (parts: Parts): number[] => numbersOfParts.filter((part) => isIn(parts, part));

export const partsOf = (numbers: Iterable<number>): Parts =>
  [...numbers].reduce((all, part) => all | bitOf(part), noParts);

const ofCompany = /^(?:company|invitation)-(?<id>\d+)/;

/** A company's stream and its invitations are of one part. Stored positions depend on it: it never changes. */
export function partOf(stream: string): number {
  const text = ofCompany.exec(stream)?.groups?.['id'] ?? stream;
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (partCount - 1);
}

type Positions = Pick<Progress, 'position' | 'parts'>;
type MaybePosition = Position | undefined;

/** Everything of the part up to here (inclusive) is applied. */
export const positionOfPart = ({ position, parts }: Positions, part: number): MaybePosition =>
  parts === undefined ? position : parts[part];

const isBelow = (one: MaybePosition, other: MaybePosition): boolean =>
  other !== undefined && (one === undefined || one < other);

const later = (one: MaybePosition, other: MaybePosition): MaybePosition =>
  isBelow(one, other) ? other : one;

const lowestOf = (positions: readonly MaybePosition[]): MaybePosition =>
  positions.reduce((lowest, one) => (isBelow(one, lowest) ? one : lowest));

/** Up to here everything of these parts is applied. */
export const lowestPosition = (progress: Positions, parts: Parts): MaybePosition =>
  progress.parts === undefined
    ? progress.position
    : lowestOf(partsIn(parts).map((part) => positionOfPart(progress, part)));

/** Behind this nothing is applied. */
export const furthestPosition = ({ position, parts = [] }: Positions): MaybePosition =>
  parts.reduce(later, position);

/** The way to this progress, by parts that move together: in each step those that go on, to where the next ones stay. */
export function stepsTo(
  progress: Positions,
): readonly { readonly position: Position; readonly parts: Parts }[] {
  const positions = numbersOfParts.map((part) => positionOfPart(progress, part));
  const stops = [...new Set(positions)].filter((one) => one !== undefined);
  return stops
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((position) => ({
      position,
      parts: partsOf(numbersOfParts.filter((part) => !isBelow(positions[part], position))),
    }));
}

/** Those behind the others. */
export const laggingParts = (progress: Positions): readonly number[] =>
  numbersOfParts.filter((part) => isBelow(positionOfPart(progress, part), furthestPosition(progress)));

/** As `, with parts 0-31, 40 of 64 behind the others`; empty where all are together. */
export function laggingText(lagging: readonly number[]): string {
  const firsts = lagging.filter((part) => !lagging.includes(part - 1));
  const lasts = lagging.filter((part) => !lagging.includes(part + 1));
  const ranges = firsts.map((first, at) => (first === lasts[at] ? `${first}` : `${first}-${lasts[at]}`));
  return ranges.length === 0 ? '' : `, with parts ${ranges.join(', ')} of ${partCount} behind the others`;
}

export const areSameParts = (one: Positions, other: Positions, parts: Parts): boolean =>
  one.parts === undefined && other.parts === undefined
    ? one.position === other.position
    : partsIn(parts).every((part) => positionOfPart(one, part) === positionOfPart(other, part));

/** These parts have come to `position`, or were further; `last` counts where none is further. */
export function movedTo(before: Progress, parts: Parts, to: Progress): Progress {
  const positions = numbersOfParts.map((part) => {
    const own = positionOfPart(before, part);
    return isIn(parts, part) ? later(own, to.position) : own;
  });
  return withPositions(isBelow(to.position, furthestPosition(before)) ? before : to, positions);
}

/** The stored progress, where these parts have moved as in `next`. */
export function withMoved(stored: Progress, next: Progress, parts: Parts): Progress {
  if (parts === allParts) return next;
  const positions = numbersOfParts.map((part) => positionOfPart(isIn(parts, part) ? next : stored, part));
  const isNewer = !isBelow(furthestPosition(next), furthestPosition(stored));
  return withPositions(isNewer ? next : stored, positions);
}

function withPositions({ last, copied }: Progress, positions: readonly MaybePosition[]): Progress {
  const position = lowestOf(positions);
  const areEqual = positions.every((one) => one === position);
  return {
    position,
    ...(!areEqual && { parts: positions }),
    ...(last && { last }),
    ...(copied && { copied }),
  };
}
