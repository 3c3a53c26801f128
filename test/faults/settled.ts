import { isDeepStrictEqual } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';

/** What can be read, against what was answered. */
export interface Compared {
  readonly there: unknown;
  readonly wanted: unknown;
}

/** A call is answered before all that it did can be read, where that takes longer than a second: so long it may take. */
const readableWithinMs = 60_000;

/** What a caller finds as soon as it is what was answered, or at the end. */
export async function settled(caller: { settled(): Promise<Compared> }): Promise<Compared> {
  const deadline = performance.now() + readableWithinMs;
  for (;;) {
    const compared = await caller.settled();
    if (isDeepStrictEqual(compared.there, compared.wanted) || performance.now() > deadline) return compared;
    await wait(100);
  }
}
