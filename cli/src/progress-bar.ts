import { Presets, SingleBar } from 'cli-progress';
import type { CliIo } from './cli-io.js';

/** What takes no longer needs no bar. */
const QUIET_MS = 1_000;

export interface ProgressBar {
  /** How much is done; cheap where nothing is to be seen of it. */
  show(done: bigint): void;
  end(): void;
}

/** How far a command is, measured in `of`, whatever that counts; on a terminal, once it takes over a second. */
export function progressBar(
  { screen, clock }: CliIo,
  of: bigint | undefined,
  what = 'of the log',
): ProgressBar {
  if (screen === undefined || of === undefined) return { show: () => undefined, end: () => undefined };
  const begun = clock.now();
  let bar: SingleBar | undefined;
  return {
    show: (done) => {
      if (bar === undefined && clock.now() - begun < QUIET_MS) return;
      bar ??= begin(screen, what);
      bar.update(of === 0n ? 100 : Math.min(100, Number((done * 100n) / of)));
    },
    end: () => {
      bar?.stop();
      bar = undefined;
    },
  };
}

function begin(screen: NodeJS.WriteStream, what: string): SingleBar {
  const options = {
    stream: screen,
    format: `{bar} {percentage} % ${what}`,
    barsize: 30,
    clearOnComplete: true,
    // The library's own way would take Ctrl-C away from the command.
    gracefulExit: false,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  bar.start(100, 0);
  return bar;
}
