import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import {
  type Clock,
  type EventLog,
  type ImportRunner,
  type Imports,
  type RunResult,
  recordRefusal,
} from '@rollcall/application';

import type { ObserveEventLog } from '../host/metrics/measured-event-log.js';

import {
  namedErrors,
  type ImportTask,
  type ImportThreadAnswer,
  type ImportThreadData,
  type ImportThreadReply,
} from './thread-tasks.js';

/** Bodies from this size on go to a thread of their own, so that small calls do not wait behind them. */
const largeBody = 256 * 1024;

/** A thread that need not be kept ready ends when it has had nothing to do for so long. */
const idleRunMs = 30_000;

/** The thread of large bodies is started so long after the process: until then the others have more need of a processor. */
const largeReadyAfterMs = 1_000;

const threadFile = fileURLToPath(new URL('./import-thread-entry.cjs', import.meta.url));

type ThreadPool = Piscina<ImportTask, ImportThreadReply>;

type PoolData = Omit<ImportThreadData, 'behindCalls'>;

interface Threads {
  readonly min: number;
  readonly max: number;
  /** Whether it is work that nobody waits for at the other end of a connection. */
  readonly behindCalls?: boolean;
  /** Once started they stay. */
  readonly stay?: boolean;
}

/** Each thread takes its tasks one by one: two large bodies at once would take twice the memory, and win nothing. */
const openThreads = (
  threadData: PoolData,
  { min, max, behindCalls = false, stay = false }: Threads,
): ThreadPool =>
  new Piscina({
    filename: threadFile,
    minThreads: min,
    maxThreads: max,
    idleTimeout: stay ? Infinity : idleRunMs,
    workerData: { ...threadData, behindCalls } satisfies ImportThreadData,
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

/** Gives a task to a thread, and tells what the thread measured. */
type Ask = (
  threads: ThreadPool,
  task: ImportTask,
  options?: { readonly transferList: readonly ArrayBuffer[] },
) => Promise<ImportThreadAnswer>;

const askAndTell =
  (observe: ObserveEventLog | undefined): Ask =>
  async (threads, task, options) => {
    const { answer, logCalls } = await threads.run(
      task,
      options && { transferList: [...options.transferList] },
    );
    if (observe) for (const call of logCalls) observe(...call);
    return answer;
  };

async function runOldest(ask: Ask, threads: ThreadPool, companyId: number): Promise<RunResult> {
  try {
    return answered(await ask(threads, { task: 'run-oldest', companyId }), 'ran').result;
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    const problem = 'the import needs more memory than a thread may have';
    return answered(await ask(threads, { task: 'attempt-failed', companyId, problem }), 'ran').result;
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

export interface ImportPoolOptions {
  /** Whether this process accepts calls: their threads are kept ready then. */
  readonly accepts: boolean;
  /** False: threads are started when there is something to do; a test with small bodies needs few of them. */
  readonly keepsReady?: boolean;
  /** Of how many companies imports are run side by side; their threads are started when there is something to run. */
  readonly runThreads: number;
}

export interface ImportPoolDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Is told the calls of the event log that the threads make, with stores of their own. */
  readonly observe?: ObserveEventLog;
}

/**
 * Imports off the event loop: reading, deciding and appending happen in threads, one for small bodies of calls, one for
 * large ones, and some for queued imports.
 */
export function openImportPool(
  threadData: PoolData,
  deps: ImportPoolDeps,
  { accepts, runThreads, keepsReady = accepts }: ImportPoolOptions = { accepts: true, runThreads: 1 },
): Imports & ImportRunner {
  const ask = askAndTell(deps.observe);
  const small = openThreads(threadData, { min: keepsReady ? 1 : 0, max: 1 });
  const large = openThreads(threadData, { min: 0, max: 1, stay: keepsReady });
  const runs = openThreads(threadData, { min: 0, max: runThreads, behindCalls: true });
  // So that the first call does not wait for it; a failure is told by that call.
  const makeReady = (threads: ThreadPool): void => {
    if (keepsReady) ask(threads, { task: 'open' }).catch(() => undefined);
  };
  makeReady(small);
  const later = setTimeout(() => makeReady(large), largeReadyAfterMs).unref();
  return {
    accept: async (request) => {
      const threads = request.body.length < largeBody ? small : large;
      const transferList = [request.body.buffer];
      return answered(await ask(threads, { task: 'accept', request }, { transferList }), 'accepted').outcome;
    },
    runOldest: (companyId) => runOldest(ask, runs, companyId),
    refuse: (call, errors) => recordRefusal(deps, call, errors),
    close: async () => {
      clearTimeout(later);
      await Promise.all([small.close(), large.close(), runs.close()]);
    },
  };
}
