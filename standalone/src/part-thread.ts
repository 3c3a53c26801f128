import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Closable } from '@rollcall/adapters';
import { threadLimits } from '@rollcall/application';

export interface PartThreadOptions {
  /** The thread's bundle, next to this one. */
  readonly file: `./${string}.js`;
  readonly name: string;
  readonly data: unknown;
  readonly onMessage?: (message: unknown) => void;
}

/** Runs a part in its own thread, so that its work delays no call. If the thread ends unexpectedly, the process stops. */
export function startPartThread({ file, name, data, onMessage }: PartThreadOptions): Closable {
  const worker = new Worker(fileURLToPath(new URL(file, import.meta.url)), {
    workerData: data,
    resourceLimits: threadLimits,
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
