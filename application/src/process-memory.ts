import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel } from 'node:worker_threads';

type Collect = (options?: { readonly type: 'minor' }) => void;

/** Smaller growth is ignored. */
const LEAST_BYTES = 8 * 1024 * 1024;

let known: Collect | undefined;

/** Memory of this thread's typed arrays, garbage included. */
export const heldBytes = (): number => process.memoryUsage().arrayBuffers;

/** Call it often in large work. V8 waits for 32 MB of young objects, however large their buffers. Costs 0.5 ms. */
export function collectYoung(): void {
  collector()({ type: 'minor' });
}

/** Call it after large work, with the bytes held before: V8 would keep the garbage for hours. Costs some 10 ms. */
export function collectLeftovers(before: number): void {
  if (heldBytes() >= before + LEAST_BYTES) collector()();
}

function collector(): Collect {
  known ??= exposed();
  return known;
}

function exposed(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return found as Collect;
}

/** Limits of a thread for imports or projections. The default young generation grows to 48 MiB on the garbage of one list. */
export const threadLimits = { maxYoungGenerationSizeMb: 8 };

const { port1: nowhere, port2: end } = new MessageChannel();
end.close();
nowhere.unref();

/** Frees and detaches a buffer at once. Memory that waits for the garbage collector slows down everything else. */
export function releaseMemory(buffer: ArrayBuffer): void {
  nowhere.postMessage(undefined, [buffer]);
}
