import { fileURLToPath } from 'node:url';
import { type Clock, type EventLog, EventLogUnavailable } from '@rollcall/adapters';
import { Piscina } from 'piscina';
import type { ImportThreadAnswer, ImportThreadData } from './import-thread.js';
import type { EmployeeImportOutcome, EmployeeImportRequest, EmployeeImports } from './outcome.js';
import { recordRefusal } from './refusals.js';

/** Bodies from this size on go to a thread of their own, so that small calls do not wait behind them. */
const largeBody = 256 * 1024;

const threadFile = fileURLToPath(new URL('./import-thread-entry.cjs', import.meta.url));

type ImportPool = Piscina<EmployeeImportRequest, ImportThreadAnswer>;

/** One thread, which takes its calls one by one: two large bodies at once would take twice the memory, and win nothing. */
const openPool = (threadData: ImportThreadData): ImportPool =>
  new Piscina({
    filename: threadFile,
    minThreads: 1,
    maxThreads: 1,
    workerData: threadData,
    // Otherwise an idle thread stands still in its wait, with whatever the store still holds open for it.
    atomics: 'disabled',
    // A young generation of the usual size would grow to 48 MiB on the garbage of one large body.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });

function settled(answer: ImportThreadAnswer): EmployeeImportOutcome {
  if (answer.status === 'settled') return answer.outcome;
  const error = answer.isOutage ? new EventLogUnavailable(answer.message) : new Error(answer.message);
  error.stack = answer.stack;
  throw error;
}

/**
 * Employee synchronisations off the event loop: reading, deciding and appending happen in two threads, one for small
 * bodies and one for large ones.
 */
export function openImportPool(
  threadData: ImportThreadData,
  deps: { readonly log: EventLog; readonly clock: Clock },
): EmployeeImports {
  const small = openPool(threadData);
  const large = openPool(threadData);
  return {
    run: async (request) => {
      const pool = request.body.length < largeBody ? small : large;
      return settled(await pool.run(request, { transferList: [request.body.buffer] }));
    },
    refuse: (call, errors) => recordRefusal(deps, call, errors),
    close: async () => {
      await Promise.all([small.close(), large.close()]);
    },
  };
}
