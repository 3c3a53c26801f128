import { until } from '../support/until.js';
import { ChildProcess, entryOf, type ChildOptions } from './child-process.js';

export interface ChildServerOptions extends Omit<ChildOptions, 'entry'> {
  /** Another program than the one that `npm start` runs. */
  readonly entry?: string;
  readonly readyWithinMs?: number;
}

export interface ChildServer {
  readonly pid: number;
  readonly url: string;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as an operator does; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );

async function untilReady(child: ChildProcess, withinMs: number): Promise<string> {
  const begun = performance.now();
  const url = await child.says(/https?:\/\/[\d.]+:\d+/, withinMs);
  const ready = async (): Promise<boolean> => {
    if (child.hasEnded) throw new Error('The server ended before it was ready');
    return isReady(url);
  };
  await until('the server is ready', ready, {
    withinMs: withinMs - (performance.now() - begun),
    everyMs: 10,
  });
  return url;
}

/** Starts the server as a process of its own, on a free port, and waits until it is ready. */
export async function startChildServer(options: ChildServerOptions): Promise<ChildServer> {
  const { entry = entryOf('standalone'), readyWithinMs = 60_000 } = options;
  const child = new ChildProcess({ ...options, entry });
  try {
    const url = await untilReady(child, readyWithinMs);
    return { pid: child.pid, url, kill: () => child.kill(), stop: () => child.stop() };
  } catch (error) {
    await child.kill();
    throw error;
  }
}
