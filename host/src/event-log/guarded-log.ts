import type { EventLog } from '@rollcall/application';
import { LogCorrupt, type DamageFinder, type ReadableEventLog } from '@rollcall/application/read';

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
