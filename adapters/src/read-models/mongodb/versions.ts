import type { DocumentWrite, Progress } from '@rollcall/application';

/**
 * The place in the log that a document's content comes from, as a string that MongoDB orders as the log does: position,
 * part of the event and number within the part, in hexadecimal digits. Empty: none.
 */
export type Version = string;

export const NEVER: Version = '';

/** The versions of a batch's writes, which do not depend on where the batch begins and ends. */
export function versionsOf(writes: readonly DocumentWrite[], next: Progress): Version[] {
  let before = '';
  let number = 0;
  return writes.map(({ origin }) => {
    const place = origin === undefined ? placeOfProgress(next) : placeOf(origin.position, origin.part);
    number = place === before ? number + 1 : 0;
    before = place;
    return place + digits(number, 8);
  });
}

const placeOf = (position: bigint, part: number): string => digits(position, 16) + digits(part, 8);

/** What a write without an origin counts as: made by all that the progress stands for. */
const placeOfProgress = ({ position, parts }: Progress): string =>
  position === undefined ? `.${digits(parts, 8)}` : placeOf(position, parts);

const digits = (value: number | bigint, count: number): string => value.toString(16).padStart(count, '0');
