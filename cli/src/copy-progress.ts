import type { CliIo } from './cli-io.js';
import { progressBar, type ProgressBar } from './progress-bar.js';

export interface CopyProgress {
  readonly show: (bytes: number, of: number) => void;
  readonly end: () => void;
}

export function copyProgress(io: CliIo): CopyProgress {
  let bar: ProgressBar | undefined;
  return {
    show: (bytes, of) => {
      bar ??= progressBar(io, BigInt(of));
      bar.show(BigInt(bytes));
    },
    end: () => bar?.end(),
  };
}
