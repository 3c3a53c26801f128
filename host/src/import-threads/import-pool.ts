import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import {
  type Clock,
  type EventLog,
  type ImportRunner,
  type ImportRequest,
  type Imports,
  type ReadModelReader,
  type RunResult,
  importLimits,
  LogWentBack,
  threadLimits,
  onlyOwn,
  recordRefusal,
} from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';

import { rulesVersion } from './rules-version.js';

import { AcceptQueue } from './accept-queue.js';
import { SmallCalls } from './small-calls.js';
import { findRows } from './find-rows.js';
import { onceQuiet } from './once-quiet.js';
import {
  damagedIn,
  passOn,
  passOnFailure,
  type PoolWatch,
  ending,
  namedErrors,
  type GivenTask,
  type ImportTask,
  type ImportThread,
  type ImportThreadData,
  type ImportThreadReply,
  type ThreadAnswer,
  type ThreadFailure,
} from './thread-tasks.js';
import { RunThreads, type RunThread } from './run-threads.js';

const { callWaitMs, lanes, smallBody, smallRunsPerThread, tasksPerThread } = importLimits;

/** Time for running imports after the stop signal; then they are left to another process. */
const runsEndMs = 10_000;

const threadFile = fileURLToPath(new URL('./import-thread-entry.cjs', import.meta.url));

/** Closes after tasks that wait for their thread, too: a thread that is ended while it loads native code crashes the process. */
class ThreadPool extends Piscina<GivenTask, ImportThreadReply> {
  readonly #asked = new Set<Promise<ImportThreadReply>>();

  override run(...given: Parameters<Piscina<GivenTask, ImportThreadReply>['run']>) {
    const asked = super.run(...given);
    const forget = (): boolean => this.#asked.delete(asked);
    this.#asked.add(asked);
    void asked.then(forget, forget);
    return asked;
  }

  override async close(): Promise<void> {
    await Promise.allSettled(this.#asked);
    await super.close();
  }
}

type PoolData = Omit<ImportThreadData, 'lowPriority'>;

type Life = Pick<PoolData, 'processId' | 'stopping'>;

const newLife = (): Life => ({
  processId: randomUUID(),
  stopping: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
});

const signal = ({ stopping }: Life, how: keyof typeof ending): void =>
  void Atomics.store(stopping, 0, ending[how]);

function endRuns(runs: RunThreads, life: Life, leaveAfterMs: number): void {
  runs.stopping();
  signal(life, 'stop');
  setTimeout(() => signal(life, 'abandon'), leaveAfterMs).unref();
}

interface Threads {
  /** One from the start; else it starts with its first task. A thread stays: what it does comes again. */
  readonly isReady?: boolean;
  /** Gives calls priority over this thread. */
  readonly lowPriority?: boolean;
  /** Concurrent tasks. */
  readonly tasks: number;
}

const openThreads = (
  threadData: PoolData,
  { isReady = false, lowPriority = false, tasks }: Threads,
): ThreadPool =>
  new ThreadPool({
    filename: threadFile,
    minThreads: Number(isReady),
    maxThreads: 1,
    concurrentTasksPerWorker: tasks,
    idleTimeout: Infinity,
    workerData: { ...threadData, lowPriority } satisfies ImportThreadData,
    // With atomics an idle thread blocks in its wait, with whatever the store still holds open for it.
    atomics: 'disabled',
    resourceLimits: threadLimits,
  });

function importThread(threads: ThreadPool, watch: PoolWatch): ImportThread {
  const ask = async (
    task: ImportTask,
    transferList: readonly (ArrayBuffer | MessagePort)[] = [],
  ): Promise<ImportThreadReply> => {
    const reply = await threads.run({ task, damaged: damagedIn(watch) }, { transferList: [...transferList] });
    passOn(watch, reply);
    if (reply.failure) throw errorOf(reply.failure);
    return reply;
  };
  return {
    open: async () => {
      await ask({ task: 'open' });
    },
    accept: async (request) => {
      const { outcome, state } = await ask({ task: 'accept', request }, [request.body.buffer]);
      return { outcome: given(outcome), state };
    },
    takeUp: async (arriving, port) => (await ask({ task: 'take-up', arriving, port }, [port])).outcome,
    findEmployee: async (companyId, employeeId) =>
      given((await ask({ task: 'find-employee', companyId, employeeId })).found),
    runOldest: async (companyId, { alone = false }) =>
      run(await ask({ task: 'run-oldest', companyId, alone })),
    runOldestIfSmall: async (companyId) =>
      given((await ask({ task: 'run-oldest-if-small', companyId })).result),
    attemptFailed: async (companyId, problem) =>
      run(await ask({ task: 'attempt-failed', companyId, problem })),
  };
}

function acceptQueue(
  threads: ThreadPool,
  { atOnce }: { readonly atOnce: number },
  watch: PoolWatch,
): AcceptQueue {
  const lane = new AcceptQueue({
    thread: importThread(threads, watch),
    waitMs: callWaitMs,
    atOnce,
    damaged: () => damagedIn(watch),
  });
  threads.on('workerDestroy', () => lane.threadEnded());
  return lane;
}

/** Decides on small calls in this thread, with the process's log. */
function smallCalls(
  { digestKey, adapters, processId, queueBodyBytes }: PoolData,
  deps: ImportPoolDeps,
): SmallCalls {
  const { log, clock, readModels } = deps;
  return new SmallCalls({
    log,
    clock,
    processId,
    queueBodyBytes,
    digester: new Digester(digestKey),
    temporaryFolder: adapters.dataDir,
    findRows: findRows(onlyOwn(readModels, { log, clock })),
    rules: rulesVersion,
    onUnsettled: (reason) => deps.onUnsettled?.(reason, 1),
    onFailure: (error) => passOnFailure(deps, error),
    waitMs: callWaitMs,
  });
}

function errorOf({ name, message, stack, missing }: ThreadFailure): Error {
  const error = name === undefined ? new Error(message) : named(name, message, missing);
  error.stack = stack;
  return error;
}

const named = (name: keyof typeof namedErrors, message: string, missing: ThreadFailure['missing']): Error =>
  name === 'LogWentBack' ? new LogWentBack(message, { missing }) : new namedErrors[name](message);

function run({ result }: ImportThreadReply): RunResult {
  if (result === undefined || result === 'is-large') throw new Error('a thread did not run an import');
  return result;
}

function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error('a thread gave back nothing for its task');
  return answer;
}

function runThread(threadData: PoolData, watch: PoolWatch): RunThread {
  const threads = openThreads(threadData, { lowPriority: true, tasks: smallRunsPerThread });
  return { ...importThread(threads, watch), close: () => threads.close() };
}

export interface ImportPoolOptions {
  /** Whether this process accepts calls; if so, their threads are kept ready. */
  readonly accepts: boolean;
  /** False: threads start on demand, for tests. */
  readonly keepsReady?: boolean;
  readonly runThreads: number;
  readonly queueBodyBytes?: number;
  /** Time for runs after the stop signal (ms, 10 s by default). */
  readonly leaveRunsAfterMs?: number;
}

export interface ImportPool extends Imports, ImportRunner {
  /** Resolves once the first thread for calls answers or fails: see `isReady`. */
  tried(): Promise<void>;
}

export interface ImportPoolDeps extends PoolWatch {
  readonly log: EventLog;
  readonly readModels: ReadModelReader;
  readonly clock: Clock;
}

/** Small calls are decided here where possible, the others in the thread for their size. */
function waysIn(
  { small, middling, large }: Readonly<Record<keyof typeof lanes, AcceptQueue>>,
  calls: SmallCalls | undefined,
): Pick<Imports, 'accept' | 'takeUp'> {
  const laneOf = (bytes: number): AcceptQueue =>
    bytes < lanes.small.below ? small : bytes < lanes.middling.below ? middling : large;
  const inThread = (request: ImportRequest): Promise<ThreadAnswer> =>
    laneOf(request.body.length).accept(request);
  return {
    accept: async (request) =>
      request.body.length < smallBody && calls
        ? calls.accept(request, () => inThread(request))
        : (await inThread(request)).outcome,
    takeUp: (arriving) => laneOf(arriving.expectedBytes ?? Infinity).takeUp(arriving),
  };
}

/** Imports off the event loop, except small calls: a thread each for small, middling and large bodies; and run threads. */
export function openImportPool(
  givenData: Omit<PoolData, keyof Life | 'queueBodyBytes'>,
  deps: ImportPoolDeps,
  options: ImportPoolOptions = { accepts: true, runThreads: 1 },
): ImportPool {
  const { accepts, runThreads, keepsReady = accepts, leaveRunsAfterMs = runsEndMs, queueBodyBytes } = options;
  const threadData = { ...givenData, ...newLife(), queueBodyBytes };
  const pools = {
    small: openThreads(threadData, { isReady: keepsReady, tasks: tasksPerThread }),
    middling: openThreads(threadData, { tasks: tasksPerThread }),
    large: openThreads(threadData, { tasks: tasksPerThread }),
  };
  const runs = new RunThreads({ newThread: () => runThread(threadData, deps), most: runThreads });
  const laneFor = (size: keyof typeof lanes): AcceptQueue => acceptQueue(pools[size], lanes[size], deps);
  const [small, middling, large] = [laneFor('small'), laneFor('middling'), laneFor('large')];
  // The first call reports a failure.
  const makeReady = (one: AcceptQueue): Promise<void> => one.open().catch(() => undefined);
  if (keepsReady) void makeReady(small);
  if (!accepts) runs.makeReady();
  const later = keepsReady ? onceQuiet(() => void [middling, large].map(makeReady)) : undefined;
  const calls = accepts ? smallCalls(threadData, deps) : undefined;
  return {
    ...waysIn({ small, middling, large }, calls),
    isReady: () => {
      if (keepsReady && !small.isReady) void makeReady(small);
      return !keepsReady || small.isReady;
    },
    tried: () => (keepsReady ? makeReady(small) : Promise.resolve()),
    runOldest: (companyId, options) => runs.runOldest(companyId, options),
    stopping: () => endRuns(runs, threadData, leaveRunsAfterMs),
    findEmployee: (companyId, employeeId) => small.findEmployee(companyId, employeeId),
    refuse: (call, errors) => recordRefusal(deps, call, errors),
    close: async () => {
      clearInterval(later);
      signal(threadData, 'abandon');
      await calls?.close();
      await Promise.all([runs, ...Object.values(pools)].map((threads) => threads.close()));
    },
  };
}
