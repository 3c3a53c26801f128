import { workerData } from 'node:worker_threads';
import { Digester, type UnsettledReason } from '@rollcall/employee-lists';
import {
  systemClock,
  CompanyStateCache,
  ImportEngine,
  type ImportRequest,
  type BodyMarks,
  BoundedCache,
  importLimits,
  Limiter,
  onlyOwn,
  readsWithRetry,
  releaseMemory,
  type UnprovenReason,
  LogWentBack,
  RunStopped,
  type EventLog,
} from '@rollcall/application';
import { guardedLog, type Damage, measuredEventLog, type ObserveEventLog } from '../event-log/watched-log.js';
import { openStores } from '@rollcall/adapters';
import { rulesVersion } from './rules-version.js';
import { findRows } from './find-rows.js';
import { takeUpBody } from './intake-task.js';
import {
  ending,
  namedErrors,
  type GivenTask,
  type ImportTask,
  type ImportThreadData,
  type ImportThreadReply,
  type ThreadFailure,
} from './thread-tasks.js';
import { lowerPriority } from './lower-priority.js';

/** The same log; after the stop it throws `RunStopped`, except on operation streams, which can still be written. */
function stoppableLog(log: EventLog, isStopped: () => boolean): EventLog {
  const goOn = (stream: string): void => {
    if (isStopped() && !stream.startsWith('operation-')) throw new RunStopped();
  };
  return {
    ...log,
    append: async (stream, ...given) => {
      goOn(stream);
      return log.append(stream, ...given);
    },
    readStream: async function* (stream, options) {
      goOn(stream);
      for await (const event of log.readStream(stream, options)) {
        goOn(stream);
        yield event;
      }
    },
    readLast: async (stream) => {
      goOn(stream);
      return log.readLast(stream);
    },
  };
}

/** Measured since the last task; the pool reports it. */
let logCalls: Parameters<ObserveEventLog>[] = [];

/** Unusable streams as last shared by the process, and those met since the last task. */
let damaged: ReadonlyMap<string, string> = new Map();
let met: string[] = [];
let unsettled = new Map<UnsettledReason, number>();
let unproven = new Map<UnprovenReason, number>();
let unusable = 0;

function countUp<R>(counts: Map<R, number>, reason: R): void {
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}

const damage: Damage = {
  get streams() {
    return damaged;
  },
  suspect: (stream) => void met.push(stream),
};

const { adapters, digestKey, cacheBytes, processId, queueBodyBytes, stopping, lowPriority } =
  workerData as ImportThreadData;

const abandonsRuns = (): boolean => lowPriority && Atomics.load(stopping, 0) === ending.abandon;

const reading = {
  abandonsRuns,
  digester: new Digester(digestKey),
  rules: rulesVersion,
  onUnsettled: (reason: UnsettledReason) => countUp(unsettled, reason),
  onUnproven: (reason: UnprovenReason) => countUp(unproven, reason),
  temporaryFolder: adapters.dataDir,
};

const readers = new Limiter(importLimits.readersPerThread);
const takingUp = { ...reading, lastBodies: new BoundedCache<number, BodyMarks>({ most: 1_000 }), readers };

async function openEngine(): Promise<ImportEngine> {
  const { log: bare, readModels, snapshots } = await openStores(adapters);
  const measured = measuredEventLog(bare, (...call) => logCalls.push(call));
  const log = stoppableLog(readsWithRetry(guardedLog(measured, damage)), abandonsRuns);
  const states = new CompanyStateCache({
    snapshots,
    digester: reading.digester,
    cacheBytes,
    onUnusable: () => void (unusable += 1),
  });
  return new ImportEngine({
    ...reading,
    log,
    clock: systemClock,
    states,
    processId,
    queueBodyBytes,
    stopping: () => Atomics.load(stopping, 0) !== 0,
    findRows: findRows(onlyOwn(readModels, { log, clock: systemClock })),
    discard: (body) => releaseMemory(body.buffer),
  });
}

if (lowPriority) lowerPriority();

let engine: Promise<ImportEngine> | undefined;

/** Retried after a failure. Only a task opens it: a thread that is ended while it opens the store crashes the process. */
async function opened(): Promise<ImportEngine> {
  const opening = (engine ??= openEngine());
  try {
    return await opening;
  } catch (error) {
    engine = undefined;
    throw error;
  }
}

function failureOf(error: unknown): ThreadFailure {
  const { message, stack = '', name } = error instanceof Error ? error : new Error(String(error));
  const missing = error instanceof LogWentBack ? error.missing : undefined;
  return { name: isNamed(name) ? name : undefined, message, stack, missing };
}

const isNamed = (name: string): name is keyof typeof namedErrors => Object.hasOwn(namedErrors, name);

type Done = Omit<ImportThreadReply, 'logCalls' | 'met' | 'unsettled' | 'unproven' | 'unusable'>;

/** Only small calls are decided by the state that another thread had. */
async function accepted(engine: ImportEngine, request: ImportRequest): Promise<Done> {
  const isSmall = request.body.length < importLimits.smallBody;
  const outcome = await engine.accept(request);
  return { outcome, state: isSmall ? engine.stateToShare(request.companyId) : undefined };
}

async function carriedOut(task: ImportTask): Promise<Done> {
  if (task.task === 'take-up') return { outcome: await takenUp(task) };
  const engine = await opened();
  switch (task.task) {
    case 'open':
      return {};
    case 'accept':
      return accepted(engine, task.request);
    case 'find-employee':
      return { found: await engine.findEmployee(task.companyId, task.employeeId) };
    case 'run-oldest':
      return { result: await engine.runOldest(task.companyId, task) };
    case 'run-oldest-if-small':
      return { result: await engine.runOldestIfSmall(task.companyId) };
    case 'attempt-failed':
      return { result: await engine.attemptFailed(task.companyId, task.problem) };
    default:
      return task satisfies never;
  }
}

/** Opens the stores only for the decision. */
const takenUp = ({ arriving, port }: Extract<ImportTask, { task: 'take-up' }>) =>
  takeUpBody(arriving, port, {
    ...takingUp,
    accept: async (message, body) => {
      damaged = new Map(message.damaged);
      return (await opened()).acceptStored({ ...message.request, ...body });
    },
    beginPayload: async (context) => (await opened()).payloadWriter(context),
  });

/** The pool's entry point. */
export default async function runTask(given: GivenTask): Promise<ImportThreadReply> {
  damaged = new Map(given.damaged);
  const reply = { ...(await doneOrFailed(given.task)), logCalls, met, unsettled, unproven, unusable };
  logCalls = [];
  met = [];
  unsettled = new Map();
  unproven = new Map();
  unusable = 0;
  return reply;
}

async function doneOrFailed(task: ImportTask): Promise<Done> {
  try {
    return await carriedOut(task);
  } catch (error) {
    return { failure: failureOf(error) };
  } finally {
    if (task.task === 'accept') releaseMemory(task.request.body.buffer);
  }
}
