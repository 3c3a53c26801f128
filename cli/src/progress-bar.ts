import { Presets, SingleBar } from 'cli-progress';
import type { CliIo } from './cli-io.js';

const showAfterMs = 1_000;

export interface ProgressBar {
  readonly show: (done: bigint, of?: bigint) => void;
  readonly end: () => void;
}

export const withBar = <T>(
  { show, end }: ProgressBar,
  work: (show: ProgressBar['show']) => Promise<T>,
): Promise<T> => work(show).finally(end);

export function progressBar(
  { screen, clock }: CliIo,
  of: bigint | undefined,
  what = 'of the log',
): ProgressBar {
  if (screen === undefined || of === undefined) return { show: () => undefined, end: () => undefined };
  const begun = clock.now();
  let bar: SingleBar | undefined;
  return {
    show: (done, all = of) => {
      if (bar === undefined && clock.now() - begun < showAfterMs) return;
      bar ??= begin(screen, what);
      bar.update(all === 0n ? 100 : Math.min(100, Number((done * 100n) / all)));
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
    // The library's own handling would take Ctrl-C from the command.
    gracefulExit: false,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  bar.start(100, 0);
  return bar;
}
