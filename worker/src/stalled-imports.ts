import { hash } from 'node:crypto';
import {
  apiCallRows,
  batchesOf,
  companyHasWork,
  fromJson,
  unlessCorrupt,
  mayBeDecidedAt,
  recordedAtOf,
  readPendingImports,
  repeatedly,
  type Clock,
  type EventReader,
  type PendingImportDocument,
  type ProcessLogger,
  type QueuePublisher,
  type ReadModelReader,
  growingDelay,
  type Sleep,
} from '@rollcall/application';
import type { WorkerCounts } from './counts.js';

const LOOK_EVERY_MS = 5_000;

/** A company whose oldest pending import has not moved for this long is announced again. */
export const DUE_AFTER_MS = 30_000;
const maxDelayMs = 300_000;

const batchSize = 100;
const mostNamed = 10;

interface StalledImportsDeps {
  readonly queue: QueuePublisher;
  readonly readModels: Pick<ReadModelReader, 'findByIndex' | 'getMany'>;
  readonly log: Pick<EventReader, 'readLast'>;
  readonly counts: WorkerCounts;
  readonly logger: ProcessLogger;
  readonly clock: Clock;
  /** Comparable with the log's times. */
  readonly wallClock: Clock;
}

/** Announces a company again when nothing moves: the queue may lose everything (design: "Imports in order"). */
export class StalledImports {
  readonly #deps: StalledImportsDeps;
  readonly #seen = new Map<number, { readonly sign: string; readonly due: number; readonly sent: number }>();

  constructor(deps: StalledImportsDeps) {
    this.#deps = deps;
  }

  /** Polls once. Throws in an outage; the rest is due at the next poll. */
  async look(): Promise<void> {
    const oldest = oldestOfEach(await readPendingImports(this.#deps.readModels));
    const pending = new Set(oldest.map(({ companyId }) => companyId));
    for (const companyId of this.#seen.keys()) if (!pending.has(companyId)) this.#seen.delete(companyId);
    const due: number[] = [];
    for (const some of batchesOf(oldest, batchSize)) due.push(...(await this.#sendDue(some)));
    const details = { companyIds: due.slice(0, mostNamed), companies: due.length };
    // One line for all: behind a long queue thousands wait.
    if (due.length > 0) this.#deps.logger.warn(details, 'imports do not move: their messages are sent again');
  }

  async #sendDue(pending: readonly PendingImportDocument[]): Promise<number[]> {
    const { readModels, clock } = this.#deps;
    const keys = pending.map(({ companyId, operationId }) => [companyId, operationId] as const);
    const rows = await apiCallRows(readModels, keys);
    const now = clock.now();
    const isDue = await Promise.all(pending.map((one, index) => this.#isDue(one, rows[index], now)));
    const due = pending.filter((_, index) => isDue[index]);
    await Promise.all(due.map((one) => this.#send(one, now)));
    return due.map(({ companyId }) => companyId);
  }

  async #isDue(pending: PendingImportDocument, row: Uint8Array | undefined, now: number): Promise<boolean> {
    // One that is held waits for people; at the end of its time a run cancels it.
    if (mayBeDecidedAt(pending, this.#deps.wallClock.now())) return false;
    const { companyId, operationId } = pending;
    const sign = signOf(operationId, row);
    const seen = this.#seen.get(companyId);
    if (seen?.sign === sign) return now >= seen.due;
    const due = now - (await this.#stoodStillFor(pending, row)) + DUE_AFTER_MS;
    this.#seen.set(companyId, { sign, due, sent: 0 });
    return now >= due;
  }

  /** By the log, whatever this process's age: since it was queued, or last reported on. */
  async #stoodStillFor(
    { queuedAt, operationId }: PendingImportDocument,
    row: Uint8Array | undefined,
  ): Promise<number> {
    // The run reports a damaged stream.
    const last = hasBegun(row)
      ? await unlessCorrupt(this.#deps.log.readLast(`operation-${operationId}`))
      : undefined;
    const movedAt = (last && recordedAtOf(last)) ?? Date.parse(queuedAt);
    return Math.max(0, this.#deps.wallClock.now() - movedAt);
  }

  async #send({ companyId, revision }: PendingImportDocument, now: number): Promise<void> {
    const { queue, counts } = this.#deps;
    await queue.publish('imports', companyHasWork(companyId, revision));
    counts.sentAgain += 1;
    const seen = this.#seen.get(companyId);
    if (!seen) return;
    const sent = seen.sent + 1;
    this.#seen.set(companyId, { ...seen, sent, due: now + growingDelay(sent, DUE_AFTER_MS, maxDelayMs) });
  }
}

const oldestOfEach = (pending: readonly PendingImportDocument[]): PendingImportDocument[] =>
  pending.filter(({ companyId }, index) => pending[index - 1]?.companyId !== companyId);

function hasBegun(row: Uint8Array | undefined): boolean {
  const { Progress = null } = (fromJson(row) ?? {}) as { Progress?: unknown };
  return Progress !== null;
}

const signOf = (operationId: string, row: Uint8Array | undefined): string =>
  hash('sha256', Buffer.concat([Buffer.from(operationId), row ?? new Uint8Array()]), 'base64');

interface StalledImportsOptions extends StalledImportsDeps {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Polls every few seconds until the signal aborts; failures are retried at the next poll. */
export function resendStalledImports(options: StalledImportsOptions): Promise<void> {
  const dueWork = new StalledImports(options);
  const times = { firstMs: LOOK_EVERY_MS, everyMs: LOOK_EVERY_MS };
  return repeatedly({ ...options, ...times, message: 'due work was not looked for' }, () => dueWork.look());
}
