import { type Options, Presets, SingleBar } from 'cli-progress';
import type { EventLog } from '@rollcall/application';
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

/** While work goes through the log. */
export const withLogBar = async <T>(
  { io, log }: { readonly io: CliIo; readonly log: Pick<EventLog, 'lastPosition'> },
  work: (show: ProgressBar['show']) => Promise<T>,
  what?: string,
): Promise<T> => withBar(progressBar(io, await log.lastPosition(), what), work);

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
      bar ??= beginBar(screen, { format: `{bar} {percentage} % ${what}`, barsize: 30 });
      bar.update(all === 0n ? 100 : Math.min(100, Number((done * 100n) / all)));
    },
    end: () => {
      bar?.stop();
      bar = undefined;
    },
  };
}

/** `{text}` in the format is empty at first. */
export function beginBar(screen: NodeJS.WriteStream, options: Options): SingleBar {
  // The library's own handling would take Ctrl-C from the command.
  const common = { stream: screen, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar({ ...common, ...options }, Presets.shades_classic);
  bar.start(100, 0, { text: '' });
  return bar;
}
