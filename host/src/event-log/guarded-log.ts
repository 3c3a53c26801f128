import type { EventLog } from '@rollcall/application';
import {
  LogCorrupt,
  type DamageFinder,
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

export function damageFinder(log: DamageFinder): DamageFinder {
  const findDamage = log.findDamage?.bind(log);
  return findDamage === undefined ? {} : { findDamage };
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
