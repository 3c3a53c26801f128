import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '@rollcall/application/read';
import { outage, type HealthProblem } from './health.js';
import type { ObserveEventLog } from './metrics/measured-event-log.js';

/** As much as one append may weigh. */
const probeBytes = 1024 * 1024;
const probeMs = 2_000;

/** Writes as much into the folder as an append would, and takes it away again. Rejects with the file system's own error. */
export const writeProbe = (folder: string) => async (): Promise<void> => {
  const path = join(folder, `.write-probe-${process.pid}`);
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(Buffer.alloc(probeBytes));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
};

/** Whether this process can write. It is asked only after an append has failed, until one succeeds or the probe does. */
export class WriteWatch {
  readonly #probe: () => Promise<void>;
  #failed = false;
  #probing: Promise<void> | undefined;

  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  /** To be told the calls of the event log. */
  readonly observe: ObserveEventLog = (operation, _seconds, failed) => {
    if (operation === 'append') this.#failed = failed;
  };

  /** Answers within 2 s, and never throws. */
  async problems(): Promise<HealthProblem[]> {
    if (!this.#failed) return [];
    this.#probing ??= this.#probe().finally(() => (this.#probing = undefined));
    try {
      await within(this.#probing, probeMs);
      this.#failed = false;
      return [];
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
      return [outage(`the data folder cannot be written: ${code}`)];
    }
  }
}
