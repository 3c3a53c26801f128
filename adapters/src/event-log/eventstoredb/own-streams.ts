import { isStreamName, STREAM_FAMILIES } from '@rollcall/application';
import type { Filter } from './requests.js';

/** The streams of this installation among all that a server holds: its prefix, and behind it a name of a known family. */
export interface OwnStreams {
  /** Put before every name; empty where the server has no other tenants. */
  readonly prefix: string;
  /** The installation's name for one of its streams; undefined for all other streams. */
  nameOf(stored: string): string | undefined;
  /** The streams whose names (without the prefix) begin so, but for those whose names begin otherwise. */
  filter(begin: string, without?: readonly string[]): Filter;
}

/** Names that begin with `$` are the server's own. */
export const isSystem = (name: string): boolean => name.startsWith('$');

export const TOMBSTONES: Filter = { on: 'type', regex: '^\\$streamDeleted$' };

export const ownStreams = (prefix: string): OwnStreams => ({
  prefix,
  nameOf: (stored) => {
    const name = stored.slice(prefix.length);
    return stored.startsWith(prefix) && isStreamName(name) ? name : undefined;
  },
  filter: (begin, without = []) => {
    const leftOut = without.length > 0 ? `(?!${without.map(escape).join('|')})` : '';
    const wanted = `(?=${escape(begin)}${leftOut})`;
    return { on: 'stream', regex: `^${escape(prefix)}${wanted}(?:${STREAM_FAMILIES.join('|')})$` };
  },
});

/** For .NET and JavaScript alike. */
const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#/]/g, '\\$&');
