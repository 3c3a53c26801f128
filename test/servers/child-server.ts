import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const productionEntry = fileURLToPath(new URL('../../../standalone/dist/main.js', import.meta.url));

export interface ChildServerOptions {
  readonly dataDir: string;
  /** Another program than the one that `npm start` runs. */
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
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

type Child = ChildProcessByStdio<null, Readable, null>;

/** The address that a server says it listens on; rejects when it ends without a word. What it says later is let go. */
const addressOf = (child: Child): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`The server ended before it listened: ${code}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      if (said.length < 10_000) said += chunk.toString();
      const address = /https?:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (address) resolve(address);
    });
  });

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );

async function untilReady(child: Child, withinMs: number): Promise<string> {
  const deadline = performance.now() + withinMs;
  const late = wait(withinMs, undefined, { ref: false }).then(() => {
    throw new Error(`The server did not listen within ${withinMs} ms`);
  });
  const url = await Promise.race([addressOf(child), late]);
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server ended: ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error(`The server was not ready within ${withinMs} ms`);
    await wait(10);
  }
  return url;
}

/** Starts the server as a process of its own, on a free port, and waits until it is ready. What it writes to stderr is passed on. */
export async function startChildServer(options: ChildServerOptions): Promise<ChildServer> {
  const child = spawn(process.execPath, [options.entry ?? productionEntry], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: options.dataDir,
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '0',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const killNow = (): boolean => child.kill('SIGKILL');
  process.once('exit', killNow);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
    process.removeListener('exit', killNow);
    return child.exitCode;
  };
  let url: string;
  try {
    url = await untilReady(child, options.readyWithinMs ?? 60_000);
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    url,
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}
