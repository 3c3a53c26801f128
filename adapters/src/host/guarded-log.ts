import type { EventLog } from '@rollcall/application';
import { LogCorrupt, type DamageFinder, type ReadableEventLog } from '@rollcall/application/read';

/** What is known of damaged streams, and who wants to know more. */
export interface Damage {
  /** Why each of them cannot be used. */
  readonly streams: ReadonlyMap<string, string>;
  /** Is told of each stream that could not be read. */
  readonly suspect: (stream: string) => void;
}

/** What the log has of it, for another log in its place. */
export function damageFinder(log: DamageFinder): DamageFinder {
  const findDamage = log.findDamage?.bind(log);
  return findDamage === undefined ? {} : { findDamage };
}

/**
 * The same log, which tells `damage` of each damaged stream that is met. For whoever appends it has nothing of a damaged
 * stream, and nothing is appended to it: both are `LogCorrupt` with the reason.
 */
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

/** Whether it is one that appends. */
export const isEventLog = (log: ReadableEventLog): log is EventLog => 'append' in log;
