import type { Filter } from './requests.js';

/** The streams of this installation among all that a server holds. */
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
  nameOf: (stored) =>
    stored.startsWith(prefix) && !isSystem(stored) ? stored.slice(prefix.length) : undefined,
  filter: (begin, without = []) => {
    const start = escape(prefix + begin);
    const left = start === '' ? ['\\$'] : [];
    const leftOut = [...left, ...without.map(escape)];
    return { on: 'stream', regex: `^${start}${leftOut.length > 0 ? `(?!${leftOut.join('|')})` : ''}` };
  },
});

/** For .NET and JavaScript alike. */
const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#/]/g, '\\$&');
