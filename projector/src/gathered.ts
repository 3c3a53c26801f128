import {
  sleep,
  type EventSubscriber,
  type Sleep,
  type SubscriptionItem,
  type SubscriptionOptions,
} from '@rollcall/application/read';

const maxGatherMs = 10;

export interface GatherOptions {
  readonly timer?: () => number;
  readonly pause?: Sleep;
}

/**
 * Merges `caught-up` items, each of which costs a transaction: a server under load sends one per event. After two or more
 * events an end waits until its first event is `maxGatherMs` old, or for the next event. A single event never waits.
 */
export async function* gathered(
  items: AsyncIterator<SubscriptionItem>,
  { timer = () => performance.now(), pause = sleep }: GatherOptions = {},
): AsyncGenerator<SubscriptionItem> {
  const batch = new Batch(timer);
  let next = items.next();
  for (let item = await next; item.done !== true; item = await next) {
    next = items.next();
    next.catch(() => undefined); // The next `await` reports it.
    if (item.value.kind === 'event') batch.take();
    else if (await comesWithin(next, batch.waitMs, pause)) continue;
    else batch.end();
    yield item.value;
  }
}

class Batch {
  readonly #timer: () => number;
  #since = 0;
  #count = 0;
  #isBusy = false;

  constructor(timer: () => number) {
    this.#timer = timer;
  }

  get waitMs(): number {
    return this.#isBusy && this.#count > 0 ? this.#since + maxGatherMs - this.#timer() : 0;
  }

  take(): void {
    if (this.#count === 0) this.#since = this.#timer();
    this.#count += 1;
  }

  end(): void {
    this.#isBusy = this.#count > 1;
    this.#count = 0;
  }
}

/** Follows the log as `gathered`. Leaving early ends the subscription. */
export async function* followGathered(
  log: EventSubscriber,
  options: SubscriptionOptions,
): AsyncGenerator<SubscriptionItem> {
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const items = log.subscribeToAll({ ...options, signal })[Symbol.asyncIterator]();
  try {
    yield* gathered(items);
  } finally {
    // The next item is awaited already: only the signal ends the subscription.
    left.abort();
    await items.return?.();
  }
}

async function comesWithin(next: Promise<unknown>, ms: number, pause: Sleep): Promise<boolean> {
  if (ms <= 0) return false;
  const come = new AbortController();
  const isThere = (): boolean => true;
  try {
    return await Promise.race([next.then(isThere, isThere), pause(ms, come.signal).then(() => false)]);
  } finally {
    come.abort();
  }
}
