import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ProjectorThreadData } from './projector-thread.js';

const threadFile = fileURLToPath(new URL('./projector-thread.js', import.meta.url));

export interface RunningProjector {
  /** Ends after what is being applied. */
  close(): Promise<void>;
}

/**
 * The projector in a thread of its own, so that a large projection never makes a call wait. It mends itself; should its thread
 * end all the same, that is an uncaught error: the process stops, because answers would grow older and older.
 */
export function startProjectorThread(data: ProjectorThreadData): RunningProjector {
  // A young generation of the usual size would grow to 48 MiB on the garbage of one large event.
  const worker = new Worker(threadFile, {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let closing = false;
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      resolve();
      if (!closing) throw new Error('The projector ended', { cause });
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
