import {
  isOutage,
  LogCorrupt,
  RunStopped,
  type ImportRunner,
  type ProcessLogger,
  type RunOptions,
  type RunResult,
} from '@rollcall/application';
import { failureOf, type WorkerCounts } from './counts.js';
import type { DeliveryEnd } from './settlement.js';
import type { CompanyHasWork } from '@rollcall/contracts';

type Work = Pick<CompanyHasWork, 'companyId' | 'revision'>;

/** At most one run per company in this process. */
export class CompanyRuns {
  /** Per running company: whether another message came since the last poll. */
  readonly #asked = new Map<number, boolean>();
  /** The revision that a company's messages require to be read. */
  readonly #upTo = new Map<number, number>();

  /** True: the caller has to run the company. False: the current run polls once more. */
  begin({ companyId, revision = 0 }: Work): boolean {
    const isFree = !this.#asked.has(companyId);
    this.#asked.set(companyId, !isFree);
    this.#upTo.set(companyId, Math.max(revision, this.#upTo.get(companyId) ?? 0));
    return isFree;
  }

  isBehind(companyId: number, revision: number | 'no-stream'): boolean {
    const wanted = this.#upTo.get(companyId) ?? 0;
    return wanted > 0 && (revision === 'no-stream' || revision < wanted);
  }

  /** A poll begins: it covers all messages so far. */
  polled(companyId: number): void {
    this.#asked.set(companyId, false);
  }

  /** Ends the run, unless a message came since the last poll. */
  endUnlessAsked(companyId: number): boolean {
    if (this.#asked.get(companyId) !== false) return false;
    this.end(companyId);
    return true;
  }

  end(companyId: number): void {
    this.#asked.delete(companyId);
    this.#upTo.delete(companyId);
  }
}

export interface RunDeps {
  readonly runner: Pick<ImportRunner, 'runOldest'>;
  readonly runs: CompanyRuns;
  readonly lock: SharedExclusiveLock;
  readonly counts: WorkerCounts;
  readonly logger: ProcessLogger;
  /** Once aborted, no further import begins. */
  readonly signal: AbortSignal;
}

/**
 * Runs pending imports in order until none is left or one cannot end now. A company that runs already polls once more; the
 * message is redelivered unless that finds nothing. `leaveSlot`: the import gets its own thread. Never throws.
 */
export async function runCompany(deps: RunDeps, work: Work, leaveSlot: () => void): Promise<DeliveryEnd> {
  const { runs, counts } = deps;
  const { companyId } = work;
  if (!runs.begin(work)) {
    counts.joined += 1;
    return 'joined';
  }
  for (;;) {
    runs.polled(companyId);
    const end = await poll(deps, companyId, leaveSlot);
    if (end !== undefined && leaves(deps, companyId, end)) return end;
  }
}

/** Ends the run, unless a message came after an empty poll. */
function leaves(deps: RunDeps, companyId: number, end: DeliveryEnd): boolean {
  const { runs } = deps;
  const nothingLeft = end === 'idle' || end === 'unknown-company';
  if (nothingLeft && !runs.endUnlessAsked(companyId)) return false;
  if (!nothingLeft) runs.end(companyId);
  if (end === 'unknown-company') reportUnknown(deps, companyId);
  return true;
}

/** One poll of the company's queue. Undefined where an import ended: poll again. */
async function poll(
  deps: RunDeps,
  companyId: number,
  leaveSlot: () => void,
): Promise<DeliveryEnd | undefined> {
  const { lock, counts, logger } = deps;
  const run = (options: RunOptions) => runOldest(deps, companyId, options);
  try {
    const result = await lock.shared(() => run({ onOwnThread: leaveSlot }));
    if (result?.kind !== 'must-run-alone') return endOfResult(deps, result);
    const { operationId, starts } = result;
    counts.runAlone += 1;
    logger.warn({ companyId, operationId, starts }, 'an import that ended its process runs alone');
    return endOfResult(deps, await lock.exclusive(() => run({ alone: true })));
  } catch (error) {
    if (isLeft(deps, error)) return left(deps, companyId);
    return failureOf(deps, { what: 'the imports of a company wait', ids: { companyId } }, error);
  }
}

/** Undefined where the process ends first. */
async function runOldest(
  { runner, signal }: RunDeps,
  companyId: number,
  options: RunOptions,
): Promise<RunResult | undefined> {
  return signal.aborted ? undefined : runner.runOldest(companyId, options);
}

function endOfResult(deps: RunDeps, result: RunResult | undefined): DeliveryEnd | undefined {
  const { counts, logger } = deps;
  if (result === undefined) return 'stopped';
  switch (result.kind) {
    case 'idle':
      return endOfIdle(deps, result);
    case 'ended': {
      const { companyId, operationId, outcome, reason, idleUpTo } = result;
      counts.imports[outcome] += 1;
      logger.info({ companyId, operationId, outcome, reason }, 'a queued import ended');
      return idleUpTo === undefined
        ? undefined
        : endOfIdle(deps, { companyId, upTo: idleUpTo, unknown: false });
    }
    case 'attempt-failed': {
      const { companyId, operationId, attempt, problem } = result;
      counts.attemptFailed += 1;
      logger.warn({ companyId, operationId, attempt, problem }, 'an attempt at a queued import failed');
      return 'attempt-failed';
    }
    case 'must-run-alone':
      throw new Error('an import was not run where it has to');
    default:
      return result satisfies never;
  }
}

/** A node of the log that is cut off does not know newer events. */
function endOfIdle(
  { runs, counts, logger }: RunDeps,
  { companyId, upTo, unknown }: Omit<Extract<RunResult, { kind: 'idle' }>, 'kind'>,
): DeliveryEnd {
  if (!runs.isBehind(companyId, upTo)) return unknown ? 'unknown-company' : 'idle';
  counts.outage += 1;
  logger.warn({ companyId, upTo }, 'imports wait: what was read of the log ends before them');
  return 'behind';
}

/** The process ends: nothing is half done, and another worker starts the import anew. */
const isLeft = ({ signal }: RunDeps, error: unknown): boolean =>
  error instanceof RunStopped || (signal.aborted && !isOutage(error) && !(error instanceof LogCorrupt));

function left({ logger }: RunDeps, companyId: number): DeliveryEnd {
  logger.info({ companyId }, 'the run of an import is left to another worker');
  return 'stopped';
}

function reportUnknown({ counts, logger }: RunDeps, companyId: number): void {
  counts.unknownCompany += 1;
  logger.error({ companyId }, 'a message names a company that is not in the log');
}

interface Waiting {
  readonly isExclusive: boolean;
  readonly begin: () => void;
}

/** Tasks that run side by side, and some that run alone. In the order in which they came, so that none waits for ever. */
export class SharedExclusiveLock {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #runsExclusive = false;

  async shared<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(false, task);
  }

  async exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(true, task);
  }

  async #run<T>(isExclusive: boolean, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ isExclusive, begin });
      this.#next();
    });
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#mayBegin(first); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#running += 1;
      this.#runsExclusive = first.isExclusive;
      first.begin();
    }
  }

  #mayBegin({ isExclusive }: Waiting): boolean {
    return this.#running === 0 || !(isExclusive || this.#runsExclusive);
  }
}
