import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Closable } from '@rollcall/adapters';

export interface PartThreadOptions {
  /** Of the thread's bundle, beside this one. */
  readonly file: `./${string}.js`;
  /** As it is called in the error with which the process ends where the thread does. */
  readonly name: string;
  readonly data: unknown;
  readonly onMessage?: (message: unknown) => void;
}

/**
 * A part of the process in a thread of its own, so that its work never makes a call wait. It mends itself; should its thread end
 * all the same, that is an uncaught error: the process stops. Closing it ends it after what it is doing.
 */
export function startPartThread({ file, name, data, onMessage }: PartThreadOptions): Closable {
  // A young generation of the usual size would grow to 48 MiB on the garbage of one large event.
  const worker = new Worker(fileURLToPath(new URL(file, import.meta.url)), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let closing = false;
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  if (onMessage) worker.on('message', onMessage);
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      resolve();
      if (!closing) throw new Error(`${name} ended`, { cause });
    });
  });
  return {
    close: () => {
      if (!closing) worker.postMessage('stop');
      closing = true;
      return ended;
    },
  };
}
