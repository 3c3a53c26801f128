import {
  calledAt,
  companyHasWork,
  readPendingImports,
  type LoadedEvent,
  type PendingImportDocument,
  type QueuePublisher,
  type ReadModelReader,
  type ProcessLogger,
  type Sleep,
  untilDone,
} from '@rollcall/application/read';

import { companyOf } from './projection.js';
import type { Tracing } from '@rollcall/host/read';

const BATCH = 50;

interface RelayOptions {
  readonly queue: QueuePublisher;
  readonly readModels: Pick<ReadModelReader, 'findByIndex' | 'getMany'>;
  readonly logger?: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly onAnnounced?: (companyId: number) => void;
}

/** Events behind which a company may have work. */
const announced: ReadonlySet<string> = new Set([
  'ImportQueued',
  'ImportApproved',
  'ImportRejected',
  'ImportCancelled',
]);

type Pending = Pick<PendingImportDocument, 'companyId' | 'revision'>;

/** Announces companies with work: the log is the outbox (design: "The way of the data"). Never delays the projection. */
export class Relay {
  readonly #options: RelayOptions;
  /** By company: the revision of the last import to announce. */
  readonly #waiting = new Map<number, number>();
  #wake: () => void = () => undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  async onApplied(event: LoadedEvent): Promise<void> {
    if (!announced.has(event.name)) return;
    // The end of the import before it triggers this one; a message now would only run that one twice.
    const isBehind = event.name === 'ImportQueued' && (await this.#isBehindAnother(event).catch(() => false));
    if (!isBehind) this.#add([{ companyId: companyOf(event), revision: event.revision }]);
  }

  async run(): Promise<void> {
    const { signal, logger, sleep, readModels } = this.#options;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    await this.announcePending(readModels);
    const queue = { signal, logger, sleep, message: 'the queue was not told of pending imports' };
    while (!signal.aborted) {
      await untilDone(queue, () => this.#sendAll());
      await this.#something();
    }
  }

  /** Of read models that another process has filled. */
  announcePending(readModels: Pick<ReadModelReader, 'findByIndex' | 'getMany'>): Promise<void> {
    const { signal, logger, sleep } = this.#options;
    const pending = { signal, logger, sleep, message: 'the pending imports were not read' };
    return untilDone(pending, async () => this.#add(await readPendingImports(readModels)));
  }

  async #isBehindAnother(event: LoadedEvent): Promise<boolean> {
    const from = -calledAt(event.metadata.operationId);
    // Most often it is the only one, or the call before it runs before it.
    for (const calls of [{ limit: 2 }, { from, limit: 2 }, {}]) {
      const found = await readPendingImports(this.#options.readModels, companyOf(event), calls);
      if (found.some(({ revision }) => revision < event.revision)) return true;
      if (!('from' in calls) && found.length < 2) return false;
    }
    return false;
  }

  #add(pending: readonly Pending[]): void {
    for (const { companyId, revision } of pending)
      this.#waiting.set(companyId, Math.max(revision, this.#waiting.get(companyId) ?? 0));
    this.#wake();
  }

  /** Removed before sending: a new import is announced again. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, BATCH);
      for (const [companyId] of batch) this.#waiting.delete(companyId);
      const sent = await Promise.allSettled(
        batch.map(([companyId, revision]) => this.#send({ companyId, revision })),
      );
      const failed = sent.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  async #send(pending: Pending): Promise<void> {
    try {
      await this.#options.queue.publish('imports', companyHasWork(pending.companyId, pending.revision));
      this.#options.onAnnounced?.(pending.companyId);
    } catch (error) {
      this.#add([pending]);
      throw error;
    }
  }

  #something(): Promise<void> {
    const { signal } = this.#options;
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#waiting.size > 0 || signal.aborted) resolve();
    });
  }
}

/** Of the newest; of those that are never announced, as behind another import, none stays for ever. */
const maxTracedImports = 1_000;

/** For each queued import: the time from its projection to its company's message. */
export class RelaySpans {
  readonly #tracing: Tracing;
  #waiting: { readonly companyId: number; readonly operationId: string; readonly start: number }[] = [];

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** Call it with every applied event, before the relay. */
  onApplied(event: LoadedEvent): void {
    if (!this.#tracing.isOn || event.name !== 'ImportQueued') return;
    if (this.#waiting.length >= maxTracedImports) this.#waiting.shift();
    const { operationId } = event.metadata;
    this.#waiting.push({ companyId: companyOf(event), operationId, start: Date.now() });
  }

  onAnnounced(companyId: number): void {
    const sent = this.#waiting.filter((one) => one.companyId === companyId);
    if (sent.length > 0) this.#waiting = this.#waiting.filter((one) => one.companyId !== companyId);
    for (const { operationId, start } of sent)
      this.#tracing.record({
        name: 'relay import',
        kind: 'producer',
        start,
        end: Date.now(),
        operationId,
        attributes: {
          'messaging.system': 'rollcall',
          'messaging.destination.name': 'imports',
          'rollcall.company': companyId,
        },
      });
  }
}
