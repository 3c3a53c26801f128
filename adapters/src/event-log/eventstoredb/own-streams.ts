import { isStreamName, STREAM_FAMILIES } from '@rollcall/application';
import type { Filter } from './requests.js';

/** The streams of this installation among all that a server holds: its prefix, and behind it a name of a known family. */
export interface OwnStreams {
  /** Put before every name; empty where the server has no other tenants. */
  readonly prefix: string;
  /** The installation's name for one of its streams; undefined for all other streams. */
  nameOf(stored: string): string | undefined;
  /** All of them, or those that are chosen. */
  filter(choice?: StreamChoice): Filter;
}

/** By names without the prefix. */
export interface StreamChoice {
  /** Those whose names begin so. */
  readonly begin?: string;
  /** None whose name begins as one of these. */
  readonly without?: readonly string[];
  /** None of these. */
  readonly leftOut?: readonly string[];
}

/** Names that begin with `$` are the server's own. */
export const isSystem = (name: string): boolean => name.startsWith('$');

/** The type of what a deleted stream ends with, in `$all`. */
export const TOMBSTONE = '$streamDeleted';

export const TOMBSTONES: Filter = { on: 'type', regex: '^\\$streamDeleted$' };

export const ownStreams = (prefix: string): OwnStreams => ({
  prefix,
  nameOf: (stored) => {
    const name = stored.slice(prefix.length);
    return stored.startsWith(prefix) && isStreamName(name) ? name : undefined;
  },
  filter: ({ begin = '', without = [], leftOut = [] } = {}) => {
    const beginnings = without.length > 0 ? `(?!${anyOf(without)})` : '';
    const names = leftOut.length > 0 ? `(?!(?:${anyOf(leftOut)})$)` : '';
    const wanted = `(?=${escape(begin)})${beginnings}${names}`;
    return { on: 'stream', regex: `^${escape(prefix)}${wanted}(?:${STREAM_FAMILIES.join('|')})$` };
  },
});

const anyOf = (texts: readonly string[]): string => texts.map(escape).join('|');

/** For .NET and JavaScript alike. */
const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#/]/g, '\\$&');
