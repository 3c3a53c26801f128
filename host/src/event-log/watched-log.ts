import type { EventLog } from '@rollcall/application';
import {
  LogCorrupt,
  type ReadableEventLog,
  isInStream,
  LogWentBack,
  type Position,
} from '@rollcall/application/read';

const NOTHING = -1n;

/** Set where an append, also in a thread, finds that the log went back. */
export interface LostLog {
  error?: LogWentBack | undefined;
}

/**
 * Throws `LogWentBack` when the last position moves back: the process's memory may hold lost events. An append that finds
 * the same counts until the missed event is seen, as it may have asked a former leader.
 */
export function withWatchedEnd<L extends Watched>(log: L, lost: LostLog = {}): L {
  let furthest = NOTHING;
  const compare = (before: Position, position: Position = NOTHING): void => {
    if (position < before) throw LogWentBack.of('the last events');
    if (position > furthest) furthest = position;
  };
  const seeAgain = async (error: LogWentBack): Promise<void> => {
    if (error.missing === undefined || !(await isInStream(log, error.missing))) throw error;
    if (lost.error === error) lost.error = undefined;
  };
  const lastPosition: ReadableEventLog['lastPosition'] = async (options = {}) => {
    if (lost.error !== undefined) await seeAgain(lost.error);
    const before = furthest;
    const position = await log.lastPosition(options);
    const isOfAll = (options.withoutStreams ?? []).length === 0;
    if (isOfAll) compare(before, position);
    return position;
  };
  const append = log.append?.bind(log);
  if (append === undefined) return { ...log, lastPosition };
  return { ...log, lastPosition, append: (...given) => append(...given).catch(noting(lost)) };
}

type Watched = Pick<ReadableEventLog, 'lastPosition' | 'readStream'> & Partial<Pick<EventLog, 'append'>>;

const noting =
  (lost: LostLog) =>
  (error: unknown): never => {
    if (error instanceof LogWentBack) lost.error ??= error;
    throw error;
  };

export interface Damage {
  /** The reason by stream. */
  readonly streams: ReadonlyMap<string, string>;
  /** Reports a stream that could not be read. */
  readonly suspect: (stream: string) => void;
}

/** Reports damaged streams to `damage`. On a writable log, reading or appending to one throws `LogCorrupt`. */
export function guardedLog<L extends ReadableEventLog>(log: L, damage: Damage): L {
  const appender = isEventLog(log) ? log : undefined;
  const ensureUsable = (stream: string): void => {
    const problem = appender && damage.streams.get(stream);
    if (problem !== undefined) throw new LogCorrupt(problem);
  };
  const met = (stream: string, error: unknown): never => {
    if (error instanceof LogCorrupt) damage.suspect(stream);
    throw error;
  };
  const guarded: Partial<EventLog> = {
    readStream: async function* (stream, options) {
      ensureUsable(stream);
      try {
        yield* log.readStream(stream, options);
      } catch (error) {
        met(stream, error);
      }
    },
    readLast: async (stream) => {
      ensureUsable(stream);
      return log.readLast(stream).catch((error: unknown) => met(stream, error));
    },
    ...(appender && {
      append: async (stream, ...given) => {
        ensureUsable(stream);
        return appender.append(stream, ...given).catch((error: unknown) => met(stream, error));
      },
    }),
  };
  return { ...log, ...guarded };
}

export const isEventLog = (log: ReadableEventLog): log is EventLog => 'append' in log;

type Operation = Exclude<keyof EventLog, 'maxAppendBytes' | 'close' | 'findDamage' | 'probeAppend'>;

export type ObserveEventLog = (operation: Operation, seconds: number, failed: boolean) => void;

export const both =
  (one: ObserveEventLog, other: ObserveEventLog): ObserveEventLog =>
  (...call) => {
    one(...call);
    other(...call);
  };

/** Reports each call; of a subscription, which lasts as long as its process, only a failure. */
export function measuredEventLog<L extends ReadableEventLog>(log: L, observe: ObserveEventLog): L {
  // The result has the members of `log`: it appends only if `log` does.
  const measured: ReadableEventLog = {
    ...measuredReads(log, observe),
    ...(isEventLog(log) && measuredAppends(log, observe)),
  };
  return measured as L;
}

const measuredAppends = (
  log: EventLog,
  observe: ObserveEventLog,
): Pick<EventLog, 'maxAppendBytes' | 'append'> => ({
  maxAppendBytes: log.maxAppendBytes,
  append: (...given) => timed(observe, 'append', () => log.append(...given)),
});

const measuredReads = (log: ReadableEventLog, observe: ObserveEventLog): ReadableEventLog => ({
  ...(log.findDamage && { findDamage: log.findDamage.bind(log) }),
  readLast: (...given) => timed(observe, 'readLast', () => log.readLast(...given)),
  lastPosition: (...given) => timed(observe, 'lastPosition', () => log.lastPosition(...given)),
  deleteStream: (...given) => timed(observe, 'deleteStream', () => log.deleteStream(...given)),
  readStream: (...given) => timedReads(observe, 'readStream', log.readStream(...given)),
  listStreams: (...given) => timedReads(observe, 'listStreams', log.listStreams(...given)),
  subscribeToAll: (...given) => failures(observe, 'subscribeToAll', log.subscribeToAll(...given)),
  close: () => log.close(),
});

const secondsSince = (start: number): number => (performance.now() - start) / 1_000;

async function timed<T>(observe: ObserveEventLog, operation: Operation, call: () => Promise<T>): Promise<T> {
  const start = performance.now();
  let failed = true;
  try {
    const answer = await call();
    failed = false;
    return answer;
  } finally {
    observe(operation, secondsSince(start), failed);
  }
}

/** Excludes the time that the reader takes between items. */
async function* timedReads<T>(
  observe: ObserveEventLog,
  operation: Operation,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  let waited = 0;
  let failed = true;
  let start = performance.now();
  try {
    for await (const item of items) {
      waited += secondsSince(start);
      failed = false;
      yield item;
      failed = true;
      start = performance.now();
    }
    waited += secondsSince(start);
    failed = false;
  } finally {
    observe(operation, waited, failed);
  }
}

async function* failures<T>(
  observe: ObserveEventLog,
  operation: Operation,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  let failed = true;
  try {
    for await (const item of items) {
      failed = false;
      yield item;
      failed = true;
    }
    failed = false;
  } finally {
    if (failed) observe(operation, NaN, true);
  }
}
