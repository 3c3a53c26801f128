import type { KnownIds } from './known-ids.js';
import type { StoredEvent } from './log-file.js';
import { newLine, type StreamLine } from './streams.js';

/** What a writer expects; the number is the exact last revision. */
export type Expected = 'any' | 'no_stream' | 'stream_exists' | bigint;

export type Verdict =
  | { readonly kind: 'write'; readonly first: number }
  | { readonly kind: 'repeat'; readonly last: StoredEvent }
  | { readonly kind: 'wrong'; readonly actual: number }
  | { readonly kind: 'deleted' };

export interface ProposedId {
  readonly id: string;
}

/** Whether an append may be written, with the server's rules for repeats. -1 stands for a stream without events. */
export function decide(
  stream: string,
  line: StreamLine | undefined,
  expected: Expected,
  proposed: { readonly events: readonly ProposedId[]; readonly known: KnownIds },
): Verdict {
  const { events, limits } = line ?? newLine(stream);
  if (limits.softlyDeleted) return afterSoftDeletion(events.length - 1, expected);
  const exactly = expected === 'no_stream' ? -1n : expected;
  if (typeof exactly === 'bigint') return decideExact(events, Number(exactly), proposed.events);
  if (expected === 'stream_exists' && events.length === 0) return { kind: 'wrong', actual: -1 };
  return decideAny(stream, events, proposed);
}

/** The numbering goes on, and the old events are no repeats. */
function afterSoftDeletion(head: number, expected: Expected): Verdict {
  if (expected === 'stream_exists') return { kind: 'deleted' };
  if (typeof expected === 'bigint' && Number(expected) !== head) return { kind: 'wrong', actual: head };
  return { kind: 'write', first: head + 1 };
}

function decideExact(
  events: readonly (StoredEvent | undefined)[],
  expected: number,
  proposed: readonly ProposedId[],
): Verdict {
  const head = events.length - 1;
  if (expected === head) return { kind: 'write', first: head + 1 };
  return repeatFrom(events, expected + 1, proposed) ?? { kind: 'wrong', actual: head };
}

/** The repeat where all ids stand from there on, one after the other. */
function repeatFrom(
  events: readonly (StoredEvent | undefined)[],
  first: number,
  proposed: readonly ProposedId[],
): Verdict | undefined {
  if (proposed.length === 0) return undefined;
  if (!proposed.every(({ id }, index) => events[first + index]?.id === id)) return undefined;
  const last = events[first + proposed.length - 1];
  return last && { kind: 'repeat', last };
}

function decideAny(
  stream: string,
  events: readonly (StoredEvent | undefined)[],
  proposed: { readonly events: readonly ProposedId[]; readonly known: KnownIds },
): Verdict {
  const head = events.length - 1;
  const found = proposed.events.map(({ id }) => proposed.known.revision(stream, id));
  if (found.every((revision) => revision === undefined)) return { kind: 'write', first: head + 1 };
  const first = found[0];
  const repeat = first === undefined ? undefined : repeatFrom(events, first, proposed.events);
  return repeat ?? { kind: 'wrong', actual: head };
}

/** Whether a deletion may be written; -1 is a stream without events. */
export function allowsDeletion(expected: Expected, actual: number, how: 'soft' | 'hard'): boolean {
  if (typeof expected === 'bigint') return Number(expected) === actual;
  if (expected === 'no_stream') return actual === -1;
  return expected === 'any' && how === 'hard' ? true : actual >= 0;
}
