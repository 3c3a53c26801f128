import { Presets, SingleBar } from 'cli-progress';
import type { Position } from '@rollcall/application';
import type { CliIo } from './cli-io.js';

export interface ProgressBar {
  show(position: Position): void;
  end(): void;
}

/** How far a command is, measured by places in the log up to `last`; only on a terminal. */
export function progressBar({ screen }: CliIo, last: Position | undefined): ProgressBar {
  if (screen === undefined || last === undefined) return { show: () => undefined, end: () => undefined };
  const options = {
    stream: screen,
    format: '{bar} {percentage} % of the log',
    barsize: 30,
    clearOnComplete: true,
    // The library's own way would take Ctrl-C away from the command.
    gracefulExit: false,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  bar.start(100, 0);
  return {
    show: (position) => bar.update(Math.min(100, last === 0n ? 100 : Number((position * 100n) / last))),
    end: () => bar.stop(),
  };
}
