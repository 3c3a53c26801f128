import { MessageChannel } from 'node:worker_threads';

/** Of a thread for imports or projections: with the default each holds some 20 MiB more at its peak. */
export const threadLimits = { maxYoungGenerationSizeMb: 8 };

const { port1: nowhere, port2: end } = new MessageChannel();
end.close();
nowhere.unref();

/** Frees and detaches a buffer at once. Left to the garbage collector, a first load of 100,000 would hold one body more. */
export function releaseMemory(buffer: ArrayBuffer): void {
  nowhere.postMessage(undefined, [buffer]);
}
