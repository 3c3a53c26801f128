import type { EventLog, ReadableEventLog } from '@rollcall/application';
import { damageFinder, isEventLog } from './guarded-log.js';

type Operation = Exclude<keyof EventLog, 'maxAppendBytes' | 'close' | 'findDamage' | 'probeAppend'>;

/** Reports one call: its seconds, and whether it threw. */
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
  ...damageFinder(log),
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
