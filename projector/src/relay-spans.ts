import type { LoadedEvent } from '@rollcall/application/read';
import type { Tracing } from '@rollcall/adapters/read';
import { companyOf } from './projection.js';

/** While the queue is away more imports than these are not traced. */
const MOST_WAITING = 1_000;

interface Waiting {
  readonly companyId: number;
  readonly operationId: string;
  readonly start: number;
}

/** Reports, for each queued import, the time from when it was projected to when the queue knew of its company. */
export class RelaySpans {
  readonly #tracing: Tracing;
  #waiting: Waiting[] = [];

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** To be called with every applied event, before the relay. */
  onApplied(event: LoadedEvent): void {
    if (!this.#tracing.isOn || event.name !== 'ImportQueued') return;
    if (this.#waiting.length >= MOST_WAITING) return;
    const { operationId } = event.metadata;
    this.#waiting.push({ companyId: companyOf(event), operationId, start: Date.now() });
  }

  /** To be called once the queue knows that the company has work. */
  onTold(companyId: number): void {
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
