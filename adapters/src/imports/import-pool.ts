import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Clock } from '../clock.js';
import type { EventLog } from '../event-log/port.js';
import type { ImportRunner, Imports, RunResult } from './port.js';
import { recordRefusal } from './refusals.js';
import {
  namedErrors,
  type ImportTask,
  type ImportThreadAnswer,
  type ImportThreadData,
} from './thread-tasks.js';

/** Bodies from this size on go to a thread of their own, so that small calls do not wait behind them. */
const largeBody = 256 * 1024;

/** A thread that runs queued imports ends when it has had nothing to do for so long. */
const idleRunMs = 30_000;

const threadFile = fileURLToPath(new URL('./import-thread-entry.cjs', import.meta.url));

type ThreadPool = Piscina<ImportTask, ImportThreadAnswer>;

/** Each thread takes its tasks one by one: two large bodies at once would take twice the memory, and win nothing. */
const openThreads = (threadData: ImportThreadData, { min, max }: { min: number; max: number }): ThreadPool =>
  new Piscina({
    filename: threadFile,
    minThreads: min,
    maxThreads: max,
    idleTimeout: idleRunMs,
    workerData: threadData,
    // Otherwise an idle thread stands still in its wait, with whatever the store still holds open for it.
    atomics: 'disabled',
    // A young generation of the usual size would grow to 48 MiB on the garbage of one large body.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });

type Answered<S> = Extract<ImportThreadAnswer, { status: S }>;

/** The answer to a task, or the error that it met, of its class again. */
function answered<S extends 'accepted' | 'ran'>(answer: ImportThreadAnswer, status: S): Answered<S> {
  if (answer.status === status) return answer as Answered<S>;
  if (answer.status !== 'failed') throw new Error(`a task that should be ${status} is ${answer.status}`);
  const { name, message, stack } = answer;
  const error = name === undefined ? new Error(message) : new namedErrors[name](message);
  error.stack = stack;
  throw error;
}

async function runOldest(threads: ThreadPool, companyId: number): Promise<RunResult> {
  try {
    return answered(await threads.run({ task: 'run-oldest', companyId }), 'ran').result;
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    const problem = 'the import needs more memory than a thread may have';
    return answered(await threads.run({ task: 'attempt-failed', companyId, problem }), 'ran').result;
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

export interface ImportPoolOptions {
  /** Whether this process accepts calls: their threads are kept ready then. */
  readonly accepts: boolean;
  /** Of how many companies imports are run side by side; their threads are started when there is something to run. */
  readonly runThreads: number;
}

/**
 * Imports off the event loop: reading, deciding and appending happen in threads, one for small bodies of calls, one for
 * large ones, and some for queued imports.
 */
export function openImportPool(
  threadData: ImportThreadData,
  deps: { readonly log: EventLog; readonly clock: Clock },
  { accepts, runThreads }: ImportPoolOptions = { accepts: true, runThreads: 1 },
): Imports & ImportRunner {
  const ready = { min: accepts ? 1 : 0, max: 1 };
  const small = openThreads(threadData, ready);
  const large = openThreads(threadData, ready);
  const runs = openThreads(threadData, { min: 0, max: runThreads });
  // So that the first call does not wait for it; a failure is told by that call.
  if (accepts) for (const threads of [small, large]) threads.run({ task: 'open' }).catch(() => undefined);
  return {
    accept: async (request) => {
      const threads = request.body.length < largeBody ? small : large;
      const transferList = [request.body.buffer];
      return answered(await threads.run({ task: 'accept', request }, { transferList }), 'accepted').outcome;
    },
    runOldest: (companyId) => runOldest(runs, companyId),
    refuse: (call, errors) => recordRefusal(deps, call, errors),
    close: async () => {
      await Promise.all([small.close(), large.close(), runs.close()]);
    },
  };
}
