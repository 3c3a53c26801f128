import { createHash } from 'node:crypto';
import {
  apiCallRows,
  companyHasWork,
  FailureReport,
  LogCorrupt,
  recordedAtOf,
  readPendingImports,
  type Clock,
  type EventReader,
  type PendingImportDocument,
  type ProcessLogger,
  type QueuePublisher,
  type RecordedEvent,
  type ReadModelReader,
  growingDelay,
  sleep as sleepByTimer,
  type Sleep,
} from '@rollcall/application';

import type { WorkerCounts } from './counts.js';

const LOOK_EVERY_MS = 5_000;

/** A company whose oldest pending import has not moved for so long gets its message again. */
export const DUE_AFTER_MS = 30_000;
/** Where that does not help, it does so after delays that grow to this. */
const LAST_DELAY_MS = 300_000;

/** How many companies are looked at, and told, at once. */
const BATCH = 100;

export interface StalledImportsDeps {
  readonly queue: QueuePublisher;
  readonly readModels: Pick<ReadModelReader, 'find' | 'getMany'>;
  readonly log: Pick<EventReader, 'readLast'>;
  readonly counts: WorkerCounts;
  readonly logger: ProcessLogger;
  /** Of this process; only differences count. */
  readonly clock: Clock;
  /** By which the log's times are told. */
  readonly wallClock: Clock;
}

/** What this process saw of a company's oldest pending import. */
interface Observation {
  /** Changes whenever the import moves, or another one is the oldest. */
  readonly sign: string;
  /** When the message is due. */
  readonly due: number;
  /** How often it was sent for this sign. */
  readonly sent: number;
}

/**
 * Sends a company's message again where nothing moves: the queue may lose everything (design: "Imports in order"). Every
 * worker does so by its own observation; a message too many does no harm.
 */
export class StalledImports {
  readonly #deps: StalledImportsDeps;
  #seen = new Map<number, Observation>();

  constructor(deps: StalledImportsDeps) {
    this.#deps = deps;
  }

  /** Looks once. Throws where a server is away; what was not sent is due at the next look. */
  async look(): Promise<void> {
    const oldest = oldestOfEach(await readPendingImports(this.#deps.readModels));
    // Companies without pending imports are forgotten.
    const before = this.#seen;
    this.#seen = new Map();
    for (const { companyId } of oldest) {
      const known = before.get(companyId);
      if (known) this.#seen.set(companyId, known);
    }
    for (let at = 0; at < oldest.length; at += BATCH) await this.#lookAt(oldest.slice(at, at + BATCH));
  }

  async #lookAt(pending: readonly PendingImportDocument[]): Promise<void> {
    const { readModels, clock } = this.#deps;
    const keys = pending.map(({ companyId, operationId }) => [companyId, operationId] as const);
    const rows = await apiCallRows(readModels, keys);
    const now = clock.now();
    const isDue = await Promise.all(pending.map((one, index) => this.#isDue(one, rows[index], now)));
    const due = pending.filter((_, index) => isDue[index]);
    await Promise.all(due.map((one) => this.#send(one, now)));
  }

  async #isDue(pending: PendingImportDocument, row: Uint8Array | undefined, now: number): Promise<boolean> {
    const { companyId, operationId } = pending;
    const sign = signOf(operationId, row);
    const seen = this.#seen.get(companyId);
    if (seen?.sign === sign) return now >= seen.due;
    const due = now - (await this.#stoodStillFor(pending, row)) + DUE_AFTER_MS;
    this.#seen.set(companyId, { sign, due, sent: 0 });
    return now >= due;
  }

  /** As the log says, however short this process lives: since it was queued, or since the last word of who runs it. */
  async #stoodStillFor(
    { queuedAt, operationId }: PendingImportDocument,
    row: Uint8Array | undefined,
  ): Promise<number> {
    const last = hasBegun(row) ? await this.#lastOf(`operation-${operationId}`) : undefined;
    const movedAt = (last && recordedAtOf(last)) ?? Date.parse(queuedAt);
    return Math.max(0, this.#deps.wallClock.now() - movedAt);
  }

  /** Undefined where others have damaged the stream, too: whoever runs the import meets that. */
  async #lastOf(stream: string): Promise<RecordedEvent | undefined> {
    try {
      return await this.#deps.log.readLast(stream);
    } catch (error) {
      if (error instanceof LogCorrupt) return undefined;
      throw error;
    }
  }

  async #send({ companyId, revision }: PendingImportDocument, now: number): Promise<void> {
    const { queue, counts, logger } = this.#deps;
    await queue.publish('imports', companyHasWork(companyId, revision));
    counts.sentAgain += 1;
    logger.warn({ companyId }, 'a pending import does not move: its message is sent again');
    const seen = this.#seen.get(companyId);
    if (!seen) return;
    const sent = seen.sent + 1;
    this.#seen.set(companyId, { ...seen, sent, due: now + growingDelay(sent, DUE_AFTER_MS, LAST_DELAY_MS) });
  }
}

/** They come by company, the oldest first. */
const oldestOfEach = (pending: readonly PendingImportDocument[]): PendingImportDocument[] =>
  pending.filter(({ companyId }, index) => pending[index - 1]?.companyId !== companyId);

function hasBegun(row: Uint8Array | undefined): boolean {
  if (row === undefined) return false;
  const { Progress = null } = JSON.parse(Buffer.from(row).toString()) as { Progress?: unknown };
  return Progress !== null;
}

const signOf = (operationId: string, row: Uint8Array | undefined): string =>
  createHash('sha256')
    .update(operationId)
    .update(row ?? '')
    .digest('base64');

export interface StalledImportsOptions extends StalledImportsDeps {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Looks every few seconds until the signal aborts; what fails is tried again at the next turn. */
export async function resendStalledImports(options: StalledImportsOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = options;
  const dueWork = new StalledImports(options);
  const report = new FailureReport({ logger, message: 'due work was not looked for', clock: options.clock });
  for (;;) {
    await sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    try {
      await dueWork.look();
      report.succeeded();
    } catch (error) {
      report.failed(error);
    }
  }
}
