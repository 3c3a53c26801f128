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
  LogWentBack,
  onlyOwn,
  recordRefusal,
} from '@rollcall/application';
import { Digester } from '@rollcall/domain';

import { rulesVersion } from '../rules-version.js';

import { AcceptLane } from './accept-lane.js';
import { findNames } from './find-names.js';
import { damagedIn, passOn, passOnFailure, type PoolWatch } from './pool-watch.js';
import { RunThreads, smallAtOnce, type RunThread } from './run-threads.js';
import { smallBody, SmallCalls } from './small-calls.js';
import {
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

/**
 * Bodies below `smallBody` need no thread where the company's state is small and known. All others below these sizes have a
 * thread of their own, so that they do not wait behind larger ones, and share it: so many
 * calls at a time, while each of them waits for the log. Larger ones have theirs one by one: two at once would take twice
 * the memory, and win nothing. Any number of bodies are taken up at a time: while they arrive they wait for the network.
 */
const lanes = {
  small: { below: 256 * 1024, atOnce: 32 },
  middling: { below: 8 * 1024 * 1024, atOnce: 4 },
  large: { below: Infinity, atOnce: 1 },
} as const;

/** Bodies on their way to a thread and calls that it decides on, more than the budget of bodies lets come together. */
const mostTasks = 10_000;

/** A call waits so long at most for a thread that takes it. */
const mostWaitMs = 30_000;

/** A thread that need not be kept ready ends when it has had nothing to do for so long. */
const idleRunMs = 30_000;

/** Runs of imports have so long to end when the process is told to; then they are left to another one. */
const runsEndMs = 10_000;

/** The thread of large bodies is started so long after the process: until then the others have more need of a processor. */
const largeReadyAfterMs = 1_000;

const threadFile = fileURLToPath(new URL('./import-thread-entry.cjs', import.meta.url));

type ThreadPool = Piscina<GivenTask, ImportThreadReply>;

type PoolData = Omit<ImportThreadData, 'behindCalls'>;

/** What the threads know of the life of their process. */
type Life = Pick<PoolData, 'processId' | 'stopping'>;
type GivenData = Omit<PoolData, keyof Life>;

const newLife = (): Life => ({
  processId: randomUUID(),
  stopping: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
});

const tell = ({ stopping }: Life, how: keyof typeof ending): void =>
  void Atomics.store(stopping, 0, ending[how]);

/** Runs are told that the process ends, and some time later to leave what they do. */
function endRuns(runs: RunThreads, life: Life, leaveAfterMs: number): void {
  runs.stopping();
  tell(life, 'told');
  setTimeout(() => tell(life, 'leaves'), leaveAfterMs).unref();
}

interface Threads {
  readonly min: number;
  readonly max: number;
  /** Whether it is work that nobody waits for at the other end of a connection. */
  readonly behindCalls?: boolean;
  /** Once started they stay. */
  readonly stay?: boolean;
  /** How many tasks a thread has at a time; one by default. */
  readonly tasks?: number;
}

const openThreads = (
  threadData: PoolData,
  { min, max, behindCalls = false, stay = false, tasks = 1 }: Threads,
): ThreadPool =>
  new Piscina({
    filename: threadFile,
    minThreads: min,
    maxThreads: max,
    concurrentTasksPerWorker: tasks,
    idleTimeout: stay ? Infinity : idleRunMs,
    workerData: { ...threadData, behindCalls } satisfies ImportThreadData,
    // Otherwise an idle thread stands still in its wait, with whatever the store still holds open for it.
    atomics: 'disabled',
    // A young generation of the usual size would grow to 48 MiB on the garbage of one large body.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });

/** A thread of the pool; what it measured is reported to `observe`. */
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
    runOldest: async (companyId, place) =>
      given((await ask({ task: 'run-oldest', companyId, place })).result),
    attemptFailed: async (companyId, problem) =>
      given((await ask({ task: 'attempt-failed', companyId, problem })).result),
  };
}

function acceptLane(
  threads: ThreadPool,
  { atOnce }: { readonly atOnce: number },
  watch: PoolWatch,
): AcceptLane {
  const lane = new AcceptLane({
    thread: importThread(threads, watch),
    waitMs: mostWaitMs,
    atOnce,
    damaged: () => damagedIn(watch),
  });
  threads.on('workerDestroy', () => lane.threadEnded());
  return lane;
}

/** Decides on small calls here, with the log of the process. */
function smallCalls({ digestKey, adapters, processId }: PoolData, deps: ImportPoolDeps): SmallCalls {
  const { log, clock, readModels } = deps;
  return new SmallCalls({
    log,
    clock,
    processId,
    digester: new Digester(digestKey),
    temporaryFolder: adapters.dataDir,
    findNames: findNames(onlyOwn(readModels, { log, clock })),
    rules: rulesVersion(),
    onUnsettled: (reason) => deps.onUnsettled?.(reason, 1),
    onFailure: (error) => passOnFailure(deps, error),
    waitMs: mostWaitMs,
  });
}

/** Of its class again. */
function errorOf({ name, message, stack, missing }: ThreadFailure): Error {
  const error = name === undefined ? new Error(message) : named(name, message, missing);
  error.stack = stack;
  return error;
}

const named = (name: keyof typeof namedErrors, message: string, missing: ThreadFailure['missing']): Error =>
  name === 'LogWentBack' ? new LogWentBack(message, { missing }) : new namedErrors[name](message);

function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error('a thread gave back nothing for its task');
  return answer;
}

/** Nobody waits for it at the other end of a connection, and it stays: a queue that has come once comes again. */
function runThread(threadData: PoolData, watch: PoolWatch): RunThread {
  const threads = openThreads(threadData, {
    min: 0,
    max: 1,
    behindCalls: true,
    stay: true,
    tasks: smallAtOnce,
  });
  return { ...importThread(threads, watch), close: () => threads.close() };
}

export interface ImportPoolOptions {
  /** Whether this process accepts calls: their threads are kept ready then. */
  readonly accepts: boolean;
  /** False: threads are started when there is something to do; a test with small bodies needs few of them. */
  readonly keepsReady?: boolean;
  /** How many threads may run queued imports (`RunThreads`). */
  readonly runThreads: number;
  /** How long runs have to end when the process is told to (ms, 10 s by default); then they are left. */
  readonly leaveRunsAfterMs?: number;
}

export interface ImportPool extends Imports, ImportRunner {
  /** Resolves once the first thread for calls answers, or where it cannot: `isReady` tells which. */
  tried(): Promise<void>;
}

export interface ImportPoolDeps extends PoolWatch {
  readonly log: EventLog;
  readonly readModels: ReadModelReader;
  readonly clock: Clock;
}

/** Small calls are decided on here where they can be, all others in the thread for their size. */
function waysIn(
  { small, middling, large }: Readonly<Record<keyof typeof lanes, AcceptLane>>,
  calls: SmallCalls | undefined,
): Pick<Imports, 'accept' | 'takeUp'> {
  const laneOf = (bytes: number): AcceptLane =>
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

/**
 * Imports off the event loop, but for small calls: reading, deciding and appending happen in threads, one each for small,
 * middling and large bodies of calls, and those of queued imports.
 */
export function openImportPool(
  givenData: GivenData,
  deps: ImportPoolDeps,
  options: ImportPoolOptions = { accepts: true, runThreads: 1 },
): ImportPool {
  const { accepts, runThreads, keepsReady = accepts, leaveRunsAfterMs = runsEndMs } = options;
  const threadData = { ...givenData, ...newLife() };
  const pools = {
    small: openThreads(threadData, { min: keepsReady ? 1 : 0, max: 1, tasks: mostTasks }),
    middling: openThreads(threadData, { min: 0, max: 1, tasks: mostTasks }),
    large: openThreads(threadData, { min: 0, max: 1, stay: keepsReady, tasks: mostTasks }),
  };
  const runs = new RunThreads({ newThread: () => runThread(threadData, deps), most: runThreads });
  const laneFor = (size: keyof typeof lanes): AcceptLane => acceptLane(pools[size], lanes[size], deps);
  const [small, middling, large] = [laneFor('small'), laneFor('middling'), laneFor('large')];
  // So that the first call does not wait for it; a failure is told by that call.
  const makeReady = (one: AcceptLane): Promise<void> => one.open().catch(() => undefined);
  if (keepsReady) void makeReady(small);
  if (!accepts) runs.makeReady();
  const later = setTimeout(() => void (keepsReady && makeReady(large)), largeReadyAfterMs).unref();
  const calls = accepts ? smallCalls(threadData, deps) : undefined;
  return {
    ...waysIn({ small, middling, large }, calls),
    isReady: () => {
      if (keepsReady && !small.isReady) void makeReady(small);
      return !keepsReady || small.isReady;
    },
    tried: () => (keepsReady ? makeReady(small) : Promise.resolve()),
    runOldest: (companyId, place) => runs.runOldest(companyId, place),
    stopping: () => endRuns(runs, threadData, leaveRunsAfterMs),
    refuse: (call, errors) => recordRefusal(deps, call, errors),
    close: async () => {
      clearTimeout(later);
      tell(threadData, 'leaves');
      await calls?.close();
      await Promise.all([runs, ...Object.values(pools)].map((threads) => threads.close()));
    },
  };
}
