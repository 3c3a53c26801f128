import { setTimeout as wait } from 'node:timers/promises';
import type { StoredEvent } from './log-file.js';

/**
 * One stored event that stands for a great many of others' events, all in its place: a scan passes them at the rate that
 * was measured on a real server, and none of them is ever kept by itself. Its type says how many (`Neighbours*1000000`); its data
 * has a byte for each thousand of them, so that each thousand has a position of its own.
 */
const TYPE = /^Neighbours\*(\d+)$/;
const STEP = 1_000;
const EVENTS_PER_MS = 1_200;

export interface Neighbours {
  readonly steps: number;
  /** The position behind so many steps. */
  readonly positionAt: (step: number) => number;
}

/** The event as it is indexed: at the position of the last one that it stands for. */
export function placed(stored: StoredEvent): StoredEvent {
  const steps = stepsOf(stored);
  return steps === undefined ? stored : { ...stored, position: stored.position + steps };
}

/** Of an event that is `placed`; undefined for all that stand for themselves. */
export function neighboursOf(stored: StoredEvent): Neighbours | undefined {
  const steps = stepsOf(stored);
  return steps === undefined ? undefined : { steps, positionAt: (step) => stored.position - steps + step };
}

function stepsOf({ type }: StoredEvent): number | undefined {
  const count = TYPE.exec(type)?.[1];
  return count === undefined ? undefined : Math.ceil(Number(count) / STEP);
}

/** Lets the time go by that a scan takes for so many events; each thousand is given when it was passed. */
export async function* passing({ steps }: Neighbours, from: number): AsyncGenerator<number> {
  const begun = performance.now();
  for (let step = from + 1; step <= steps; step++) {
    const due = begun + ((step - from) * STEP) / EVENTS_PER_MS;
    if (due - performance.now() > 2) await wait(due - performance.now());
    yield step;
  }
}
