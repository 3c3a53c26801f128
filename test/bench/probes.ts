import { carryLoad, messageOf, type SmallCall } from './load-client.js';

/** A small caller beside a large one: its calls, taken in turn, one after the other. It can be sent to a process. */
export interface Probe {
  readonly url: string;
  readonly calls: readonly SmallCall[];
}

const pauseMs = 5;

/** Calls until the signal aborts; milliseconds of each call. */
export async function probe({ url, calls }: Probe, signal: AbortSignal): Promise<number[]> {
  const messages = calls.map((each) => messageOf(url, each));
  let count = 0;
  const next = (): Buffer | undefined => (signal.aborted ? undefined : messages[count++ % messages.length]);
  return (await carryLoad({ url, next, connections: 1, pauseMs })).times;
}
