import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

export interface Progress {
  readonly text: string;
  /** True: the page is loaded anew, and shows how it ended. */
  readonly isDone: boolean;
}

const stepMs = 2_000;
/** The browser comes again after that, and its session is looked at again. */
const longestMs = 60_000;

interface ProgressOptions {
  readonly look: () => Promise<Progress>;
  readonly signal: AbortSignal;
  /** Between two looks; also ended by the signal. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Server-sent events: what `look` finds, whenever it changes, until it is done or the signal aborts. */
export const progressStream = (options: ProgressOptions): Readable => Readable.from(messages(options));

const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);

async function* messages({ look, signal, sleep = pause }: ProgressOptions): AsyncGenerator<string> {
  let last: string | undefined;
  yield 'retry: 3000\n\n';
  for (let waited = 0; waited < longestMs && !signal.aborted; waited += stepMs) {
    const progress = await look();
    const text = JSON.stringify(progress);
    if (text !== last) yield `data: ${text}\n\n`;
    if (progress.isDone) return;
    last = text;
    await sleep(stepMs, signal);
  }
}
