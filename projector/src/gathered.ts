import {
  sleep,
  type EventSubscriber,
  type Sleep,
  type SubscriptionItem,
  type SubscriptionOptions,
} from '@rollcall/application/read';

/** How long the events of a batch may wait for more. */
const GATHER_MS = 10;

export interface GatherOptions {
  /** Milliseconds from some moment on. Injected in tests. */
  readonly timer?: () => number;
  /** Injected in tests. */
  readonly pause?: Sleep;
}

/**
 * The items of a subscription, with fewer ends of the log among them: each end is a transaction, which costs as much as
 * projecting some events. A log on a server hands its events out one by one, so that under load every one of them would be an end.
 * Where two or more came since the last end, more are coming: then an end waits until the first of its events is `GATHER_MS`
 * old, or for the next event. A single event never waits.
 */
export async function* gathered(
  items: AsyncIterator<SubscriptionItem>,
  { timer = () => performance.now(), pause = sleep }: GatherOptions = {},
): AsyncGenerator<SubscriptionItem> {
  const batch = new Batch(timer);
  let next = items.next();
  for (let item = await next; item.done !== true; item = await next) {
    next = items.next();
    next.catch(() => undefined); // Whoever waits for it meets it.
    if (item.value.kind === 'event') batch.take();
    else if (await comesWithin(next, batch.waitMs, pause)) continue;
    else batch.end();
    yield item.value;
  }
}

/** The events since the last end. */
class Batch {
  readonly #timer: () => number;
  #since = 0;
  #count = 0;
  #isBusy = false;

  constructor(timer: () => number) {
    this.#timer = timer;
  }

  /** How long an end may wait for more of them. */
  get waitMs(): number {
    return this.#isBusy && this.#count > 0 ? this.#since + GATHER_MS - this.#timer() : 0;
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

/** Follows the log from there on, as `gathered` says. Who leaves early ends the subscription. */
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
    // The next item is being waited for already: without the signal the subscription would not end.
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
