import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const productionEntry = fileURLToPath(new URL('../../../standalone/dist/main.js', import.meta.url));

export interface ChildServerOptions {
  readonly dataDir: string;
  readonly port: number;
  /** Another program than the one that `npm start` runs. */
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly readyWithinMs?: number;
}

export interface ChildServer {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as an operator does; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given');
  return address.port;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );

async function untilReady(child: ChildProcess, url: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server ended: ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error(`The server was not ready within ${withinMs} ms`);
    await wait(10);
  }
}

/** Starts the server as a process of its own and waits until it is ready. What it writes to stderr is passed on. */
export async function startChildServer(options: ChildServerOptions): Promise<ChildServer> {
  const url = `http://127.0.0.1:${options.port}`;
  const child = spawn(process.execPath, [options.entry ?? productionEntry], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(options.port),
      DATA_DIR: options.dataDir,
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '0',
      ...options.env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
    return child.exitCode;
  };
  try {
    await untilReady(child, url, options.readyWithinMs ?? 30_000);
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    port: options.port,
    url,
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}
