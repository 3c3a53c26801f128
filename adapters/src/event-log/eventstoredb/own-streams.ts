import { isStreamName, STREAM_FAMILIES } from '@rollcall/application';
import type { Filter } from './requests.js';

export interface OwnStreams {
  /** Empty if the server has no other tenants. */
  readonly prefix: string;
  /** Undefined for a stream of others, and for one that begins with one of `without`. */
  nameOf(stored: string, without?: readonly string[]): string | undefined;
  filter(choice?: StreamChoice): Filter;
}

export interface StreamChoice {
  readonly begin?: string;
  readonly without?: readonly string[] | undefined;
  readonly leftOut?: readonly string[];
  readonly matching?: string | undefined;
}

export const isSystem = (name: string): boolean => name.startsWith('$');

export const TOMBSTONE = '$streamDeleted';

export const TOMBSTONES: Filter = { on: 'type', regex: '^\\$streamDeleted$' };

export const ownStreams = (prefix: string): OwnStreams => ({
  prefix,
  nameOf: (stored, without = []) => {
    const name = stored.slice(prefix.length);
    const isLeftOut = !stored.startsWith(prefix) || without.some((begin) => name.startsWith(begin));
    return !isLeftOut && isStreamName(name) ? name : undefined;
  },
  filter: ({ begin = '', without = [], leftOut = [], matching = '' } = {}) => {
    const beginnings = without.length > 0 ? `(?!${anyOf(without)})` : '';
    const names = leftOut.length > 0 ? `(?!(?:${anyOf(leftOut)})$)` : '';
    const wanted = `(?=${escape(begin)})${beginnings}${names}${matching}`;
    return { on: 'stream', regex: `^${escape(prefix)}${wanted}(?:${STREAM_FAMILIES.join('|')})$` };
  },
});

const anyOf = (texts: readonly string[]): string => texts.map(escape).join('|');

/** For .NET and JavaScript. */
const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#/]/g, '\\$&');
