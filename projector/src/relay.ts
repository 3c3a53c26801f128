import {
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

/** How many messages are on their way at once. */
const BATCH = 50;

export interface RelayOptions {
  readonly queue: QueuePublisher;
  readonly readModels: Pick<ReadModelReader, 'find'>;
  readonly logger?: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  /** Called with each company that the queue was told of. */
  readonly onTold?: (companyId: number) => void;
}

type Pending = Pick<PendingImportDocument, 'companyId' | 'revision'>;

/**
 * Tells the queue which companies have work, from what was projected: the log is the outbox (design: "The way of the
 * data"). It holds ids and nothing else, sends beside the projection, and never makes it wait; while the queue is
 * away the companies gather here, each once.
 */
export class Relay {
  readonly #options: RelayOptions;
  /** By company: the revision of its last import that is to be told of. */
  readonly #waiting = new Map<number, number>();
  #wake: () => void = () => undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** To be called with every applied event. */
  async onApplied(event: LoadedEvent): Promise<void> {
    if (event.name !== 'ImportQueued') return;
    const companyId = companyOf(event);
    const isBehind = await this.#isBehindAnother(companyId, event.revision).catch(() => false);
    if (!isBehind) this.#add([{ companyId, revision: event.revision }]);
  }

  /** Begins with every company that has a pending import, then sends what comes until the signal aborts. */
  async run(): Promise<void> {
    const { signal, logger, sleep } = this.#options;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    const pending = { signal, logger, sleep, message: 'the pending imports were not read' };
    await untilDone(pending, async () => this.#add(await readPendingImports(this.#options.readModels)));
    const queue = { signal, logger, sleep, message: 'the queue was not told of pending imports' };
    while (!signal.aborted) {
      await untilDone(queue, () => this.#sendAll());
      await this.#something();
    }
  }

  /**
   * Whoever ends the import in front of it looks for the next one. A worker that got a message for this one too would only
   * run the one in front a second time.
   */
  async #isBehindAnother(companyId: number, revision: number): Promise<boolean> {
    const [oldest] = await readPendingImports(this.#options.readModels, companyId);
    return oldest !== undefined && oldest.revision < revision;
  }

  #add(pending: readonly Pending[]): void {
    for (const { companyId, revision } of pending)
      this.#waiting.set(companyId, Math.max(revision, this.#waiting.get(companyId) ?? 0));
    this.#wake();
  }

  /** Each is taken out before it is sent: one that comes meanwhile is sent again. */
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
      this.#options.onTold?.(pending.companyId);
    } catch (error) {
      this.#add([pending]);
      throw error;
    }
  }

  /** Resolves when there is something to send, or when the signal aborts. */
  #something(): Promise<void> {
    const { signal } = this.#options;
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#waiting.size > 0 || signal.aborted) resolve();
    });
  }
}
