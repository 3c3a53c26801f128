import {
  apiCallsCollection,
  attemptsCollection,
  type CallTerm,
  type Clock,
  calledAt,
  type DocumentKey,
  type DocumentWrite,
  type EventReader,
  type FindOptions,
  lastProjected,
  type LiveGeneration,
  monotonicMs,
  pendingImportsCollection,
  type ProcessLogger,
  type ReadModels,
  recordedAtOf,
  refusedTermMs,
  repeatedly,
  shownUntil,
  type Sleep,
  sleep as sleepByTimer,
} from '@rollcall/application/read';
import { unlessReplaced } from './run-projector.js';

const HOUR_MS = 60 * 60_000;
/** Rows between the two terms are read each time. */
const everyMs = 24 * HOUR_MS;
/** A clock may be ahead of the newest event by this much. */
const maxAheadMs = everyMs;
/** Of a transaction: with 100 the file grew by half, with 500 by a fiftieth. */
const batchRows = 500;
/** Of the time of a write: others write meanwhile. */
const pauseTimes = 2;
/** While it waits for the checkpoint, between questions whether it is to end. */
const waitMs = 1_000;

interface CallKeeperOptions {
  readonly log: Pick<EventReader, 'lastPosition' | 'readLast'>;
  readonly readModels: Pick<ReadModels, 'liveGeneration'>;
  readonly clock: Clock;
  readonly term: CallTerm;
  readonly logger?: ProcessLogger;
  /** Ends a look early. */
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Removes rows of ApiCalls after their term. A rebuild brings them back, until the next look. */
export class CallKeeper {
  readonly #options: CallKeeperOptions;

  constructor(options: CallKeeperOptions) {
    this.#options = options;
  }

  /** How many rows it removed. */
  async look(): Promise<number> {
    const { log, readModels, signal, logger } = this.#options;
    const live = await readModels.liveGeneration();
    // Events behind the checkpoint are applied again after a crash: nothing of theirs is deleted.
    const last = await lastProjected(log);
    while (last !== undefined && !(await live.reachedPosition(last, waitMs))) {
      if (signal.aborted) return 0;
      await live.ensureLive();
    }
    // Nothing is written beside an open reader, which would keep the store from using pages again.
    const companies: number[] = [];
    for await (const { key } of live.find('companies', { prefix: [] })) companies.push(Number(key[0]));
    const removed = await this.#remove(live, companies);
    if (removed > 0) logger?.info({ calls: removed }, 'removed rows of calls that are past their term');
    return removed;
  }

  async #remove(live: LiveGeneration, companies: readonly number[]): Promise<number> {
    const { signal, sleep = sleepByTimer } = this.#options;
    const now = await this.#now(live);
    let removed = 0;
    for (const companyId of companies)
      for await (const past of this.#pastTerm(live, companyId, now)) {
        const begun = monotonicMs();
        await live.write(deletions(past));
        removed += past.length;
        await sleep(pauseTimes * (monotonicMs() - begun), signal);
      }
    return removed;
  }

  async #now(live: LiveGeneration): Promise<number> {
    const { log, clock } = this.#options;
    const { last } = await live.progress();
    const newest = last && (await log.readLast(last.stream));
    return Math.min(clock.now(), ((newest && recordedAtOf(newest)) ?? -Infinity) + maxAheadMs);
  }

  /** Batches of keys. Rows come in call order: those behind the first young one are younger. */
  async *#pastTerm(live: LiveGeneration, companyId: number, now: number): AsyncGenerator<DocumentKey[]> {
    const { term, signal } = this.#options;
    let next: FindOptions | undefined = { prefix: [companyId], limit: batchRows };
    while (next !== undefined && !signal.aborted) {
      const options: FindOptions = next;
      const past: DocumentKey[] = [];
      let rows = 0;
      next = undefined;
      for await (const { key, revision, value } of live.find(apiCallsCollection, options)) {
        if (calledAt(String(key[1])) + Math.min(term, refusedTermMs) > now) break;
        if (shownUntil({ revision, value }, term) <= now) past.push(key);
        if (++rows === batchRows) next = { ...options, after: key };
      }
      if (past.length > 0) yield past;
    }
  }
}

/** The rows last, by which they are found. */
export const callCollections: readonly string[] = [
  pendingImportsCollection,
  attemptsCollection,
  apiCallsCollection,
];

/** What the read models have of these calls, tombstones too. Anchors need the heads. */
const deletions = (calls: readonly DocumentKey[]): DocumentWrite[][] =>
  callCollections.map((collection) =>
    calls.map((key) => ({ op: 'delete-to', collection, key, revision: 0 })),
  );

/** Looks at once, then daily, until the signal aborts; a failure is retried after an hour. */
export async function keepCalls(options: CallKeeperOptions): Promise<void> {
  if (options.term === Infinity) return;
  const keeper = new CallKeeper(options);
  const message = 'calls past their term were not removed';
  await repeatedly({ ...options, message, everyMs: HOUR_MS }, async () =>
    (await unlessReplaced(() => keeper.look())) ? everyMs : HOUR_MS,
  );
}
