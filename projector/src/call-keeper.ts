import {
  apiCallsCollection,
  attemptsCollection,
  type CallTerm,
  type Clock,
  type DocumentWrite,
  framesOf,
  GenerationReplaced,
  type LiveGeneration,
  problemOf,
  type ProcessLogger,
  type ReadModels,
  refusedTermMs,
  shownUntil,
  type Sleep,
  sleep as sleepByTimer,
  type StoredDocument,
} from '@rollcall/application/read';

const HOUR_MS = 60 * 60_000;
/** Rows between the two terms are read each time. */
const everyMs = 24 * HOUR_MS;
const batchRows = 500;

export interface CallKeeperOptions {
  readonly readModels: Pick<ReadModels, 'liveGeneration'>;
  readonly clock: Clock;
  readonly term: CallTerm;
  readonly logger?: ProcessLogger;
}

/** Removes rows of ApiCalls after their term. A rebuild brings them back, until the next look. */
export class CallKeeper {
  readonly #options: CallKeeperOptions;

  constructor(options: CallKeeperOptions) {
    this.#options = options;
  }

  /** How many rows it removed. */
  async look(): Promise<number> {
    const live = await this.#options.readModels.liveGeneration();
    // An open reader would keep the store from using pages again.
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
    let past: StoredDocument[] = [];
    let removed = 0;
    const remove = async (): Promise<void> => {
      await live.write([await removals(live, past)]);
      removed += past.length;
      past = [];
    };
    for await (const { key, revision, value } of live.find(apiCallsCollection, { prefix: [companyId] })) {
      if (calledAt(String(key[1])) + Math.min(term, refusedTermMs) > now) break;
      if (shownUntil({ revision, value }, term) > now) continue;
      past.push({ key, revision, value });
      if (past.length >= batchRows) await remove();
    }
    if (past.length > 0) await remove();
    return removed;
  }
}

/** Ids of operations are UUIDs of version 7: they begin with the time (ms). */
const calledAt = (operationId: string): number =>
  Number.parseInt(operationId.replace('-', '').slice(0, 12), 16);

/** With the revision behind the call's last event, whose repetition then brings nothing back. */
async function removals(live: LiveGeneration, calls: readonly StoredDocument[]): Promise<DocumentWrite[]> {
  const keys = calls.map(({ key }) => key);
  const attempts = await live.newest(attemptsCollection, keys);
  return calls.flatMap(({ key, revision }, at): DocumentWrite[] => [
    { op: 'remove', collection: apiCallsCollection, key, revision: revision + 1 },
    ...(attempts[at]?.value === undefined
      ? []
      : [
          { op: 'remove' as const, collection: attemptsCollection, key, revision: attempts[at].revision + 1 },
        ]),
  ]);
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
