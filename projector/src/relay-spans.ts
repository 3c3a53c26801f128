import type { LoadedEvent } from '@rollcall/application/read';
import type { Tracing } from '@rollcall/host/read';
import { companyOf } from './projection.js';

/** Further imports are not traced while the queue is away. */
const maxTracedImports = 1_000;

interface Waiting {
  readonly companyId: number;
  readonly operationId: string;
  readonly start: number;
}

/** For each queued import: the time from its projection to its company's message. */
export class RelaySpans {
  readonly #tracing: Tracing;
  #waiting: Waiting[] = [];

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** Call it with every applied event, before the relay. */
  onApplied(event: LoadedEvent): void {
    if (!this.#tracing.isOn || event.name !== 'ImportQueued') return;
    if (this.#waiting.length >= maxTracedImports) return;
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
