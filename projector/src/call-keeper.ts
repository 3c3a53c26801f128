import {
  apiCallsCollection,
  attemptsCollection,
  type CallTerm,
  type Clock,
  calledAt,
  type DocumentKey,
  type DocumentWrite,
  type EventReader,
  framesOf,
  GenerationReplaced,
  lastProjected,
  type LiveGeneration,
  pendingImportsCollection,
  problemOf,
  type ProcessLogger,
  type ReadModels,
  ReadModelsUnavailable,
  refusedTermMs,
  shownUntil,
  type Sleep,
  sleep as sleepByTimer,
} from '@rollcall/application/read';

const HOUR_MS = 60 * 60_000;
/** Rows between the two terms are read each time. */
const everyMs = 24 * HOUR_MS;
const batchRows = 500;

export interface CallKeeperOptions {
  readonly log: Pick<EventReader, 'lastPosition'>;
  readonly readModels: Pick<ReadModels, 'liveGeneration'>;
  readonly clock: Clock;
  readonly term: CallTerm;
  readonly logger?: ProcessLogger;
  /** How long it waits for the checkpoint. */
  readonly catchUpMs?: number;
}

/** Removes rows of ApiCalls after their term. A rebuild brings them back, until the next look. */
export class CallKeeper {
  readonly #options: CallKeeperOptions;

  constructor(options: CallKeeperOptions) {
    this.#options = options;
  }

  /** How many rows it removed. */
  async look(): Promise<number> {
    const { log, readModels, catchUpMs = 60_000 } = this.#options;
    const live = await readModels.liveGeneration();
    // Events behind the checkpoint are applied again after a crash: nothing of theirs is deleted.
    const last = await lastProjected(log);
    if (last !== undefined && !(await live.reachedPosition(last, catchUpMs)))
      throw new ReadModelsUnavailable('the read models lag');
    // Nothing is written beside an open reader, which would keep the store from using pages again.
    const companies: number[] = [];
    for await (const { key } of live.find('companies', { prefix: [] })) companies.push(Number(key[0]));
    let removed = 0;
    for (const companyId of companies) removed += await this.#lookAt(live, companyId);
    if (removed > 0)
      this.#options.logger?.info({ calls: removed }, 'removed rows of calls that are past their term');
    return removed;
  }

  /** Rows come in call order: those behind the first young one are younger. */
  async #lookAt(live: LiveGeneration, companyId: number): Promise<number> {
    const { term, clock } = this.#options;
    const now = clock.now();
    let removed = 0;
    let after: DocumentKey | undefined;
    do {
      const options = { prefix: [companyId], limit: batchRows, ...(after && { after }) };
      const past: DocumentKey[] = [];
      let rows = 0;
      after = undefined;
      for await (const { key, revision, value } of live.find(apiCallsCollection, options)) {
        if (calledAt(String(key[1])) + Math.min(term, refusedTermMs) > now) break;
        if (shownUntil({ revision, value }, term) <= now) past.push(key);
        if (++rows === batchRows) after = key;
      }
      if (past.length > 0) await live.write(deletions(past));
      removed += past.length;
    } while (after);
    return removed;
  }
}

/** All that the read models have of these calls, tombstones too; the rows last, by which they are found. */
function deletions(calls: readonly DocumentKey[]): DocumentWrite[][] {
  const of = (collection: string, keys = calls): DocumentWrite[] =>
    keys.map((key) => ({ op: 'delete-to', collection, key, revision: 0 }));
  const streams = calls.map((key): DocumentKey => [`operation-${String(key[1])}`]);
  return [
    [...of(pendingImportsCollection), ...of(attemptsCollection), ...of('streams', streams)],
    of(apiCallsCollection),
  ];
}

export interface KeepCallsOptions extends CallKeeperOptions {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Looks at once, then daily, until the signal aborts; a failure is retried after an hour. */
export async function keepCalls(options: KeepCallsOptions): Promise<void> {
  const { signal, logger, term, sleep = sleepByTimer } = options;
  if (term === Infinity) return;
  const keeper = new CallKeeper(options);
  while (!signal.aborted) {
    let nextMs = everyMs;
    try {
      await keeper.look();
    } catch (error) {
      nextMs = HOUR_MS;
      if (!(error instanceof GenerationReplaced))
        logger?.warn(
          { problem: problemOf(error), frames: framesOf(error) },
          'calls past their term were not removed',
        );
    }
    await sleep(nextMs, signal);
  }
}
