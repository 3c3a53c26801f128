import type { CliIo } from './cli-io.js';
import { progressBar, type ProgressBar } from './progress-bar.js';

/** What takes no longer needs no bar. */
const QUIET_MS = 1_000;

export interface CopyProgress {
  readonly show: (bytes: number, of: number) => void;
  readonly end: () => void;
}

/** How far a copy is, measured in bytes, once it takes over a second; only on a terminal. */
export function copyProgress(io: CliIo): CopyProgress {
  const begun = io.clock.now();
  let bar: ProgressBar | undefined;
  return {
    show: (bytes, of) => {
      if (io.clock.now() - begun < QUIET_MS) return;
      bar ??= progressBar(io, BigInt(of));
      bar.show(BigInt(bytes));
    },
    end: () => bar?.end(),
  };
}
