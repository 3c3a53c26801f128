import { setTimeout as wait } from 'node:timers/promises';

export interface Patience {
  /** A minute by default: on a busy machine nothing that comes at all takes longer. */
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/** What `look` finds, once it finds something; throws where that is not in time, and says what did not come. */
export async function until<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 60_000, everyMs = 20 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw notWithin(withinMs, what);
    await wait(everyMs);
  }
}

function notWithin(ms: number, what: string | (() => string)): Error {
  return new Error(`Not within ${Math.round(ms)} ms: ${typeof what === 'string' ? what : what()}`);
}

/** Repeats a call as long as it rejects with such an outage; the last one is thrown where it does not end in time. */
export async function untilThere<T>(
  outage: new (...args: never[]) => Error,
  call: () => Promise<T>,
  { withinMs = 60_000, everyMs = 50 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof outage) || performance.now() > deadline) throw error;
      await wait(everyMs);
    }
  }
}
