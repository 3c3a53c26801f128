import { sleep, type Delivery } from '@rollcall/application';

import type { NatsDelivery } from './delivery.js';

export interface ConsumeParts {
  readonly maxUnsettled: number;
  readonly signal: AbortSignal;
  /** Undefined if the request ended without a message. */
  readonly next: (signal: AbortSignal, settled: () => void) => Promise<NatsDelivery | undefined>;
}

/** One message per pull: the others stay in the queue for any free consumer. */
export async function* consume({ maxUnsettled, signal, next }: ConsumeParts): AsyncGenerator<Delivery> {
  const aborted = (): boolean => signal.aborted;
  const mine = new Unsettled();
  while (!aborted()) {
    await mine.room(maxUnsettled, signal);
    if (aborted()) return;
    const delivery = await next(signal, () => mine.changed());
    if (delivery === undefined) continue;
    mine.add(delivery);
    yield delivery;
  }
}

class Unsettled {
  readonly #held = new Set<NatsDelivery>();
  #change = new AbortController();

  add(delivery: NatsDelivery): void {
    this.#held.add(delivery);
  }

  changed(): void {
    this.#change.abort();
  }

  async room(max: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#change = new AbortController();
      for (const delivery of this.#held) if (delivery.heldForMs === 0) this.#held.delete(delivery);
      if (this.#held.size < max || signal.aborted) return;
      const earliest = Math.min(...[...this.#held].map((delivery) => delivery.heldForMs));
      await sleep(earliest, AbortSignal.any([signal, this.#change.signal]));
    }
  }
}
