import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryOf, startChild, type ChildProcess, type Part } from '../servers/child-process.js';
import { startChildServer, type ChildServer } from '../servers/child-server.js';
import { fileURLToPath } from 'node:url';
import type { LoopDelay } from './loop-watch.js';
import type { Shape } from './service.js';

const preload = fileURLToPath(new URL('./watch-preload.js', import.meta.url));

/** The service under measurement; the event loop of whoever answers calls is watched. */
export interface WatchedService {
  readonly url: string;
  readonly dataDir: string;
  /** The processes by name; the one that answers calls is the first. */
  readonly pids: readonly (readonly [name: string, pid: number])[];
  /** Of the process that answers calls, since it was asked last. */
  loopDelay(): Promise<LoopDelay>;
  kill(): Promise<void>;
}

const watched = (part: Part, dataDir: string): Promise<ChildServer> =>
  startChildServer({ dataDir, entry: entryOf(part), preload });

async function loopDelay(dataDir: string): Promise<LoopDelay> {
  const port = readFileSync(join(dataDir, 'loop-port'), 'utf8');
  const answer = await fetch(`http://127.0.0.1:${port}`);
  return (await answer.json()) as LoopDelay;
}

/** Starts the service on the embedded adapters in this folder. */
export async function startWatched(shape: Shape, dataDir: string): Promise<WatchedService> {
  const besides: [name: string, child: ChildProcess][] = [];
  const kill = async (server?: ChildServer): Promise<void> => {
    await Promise.all([server?.kill(), ...besides.map(([, child]) => child.kill())]);
  };
  try {
    if (shape === 'apart')
      for (const part of ['projector', 'worker'] as const)
        besides.push([part, await startChild(part, { dataDir })]);
    const server = await watched(shape === 'apart' ? 'api' : 'standalone', dataDir);
    return {
      url: server.url,
      dataDir,
      pids: [
        [shape === 'apart' ? 'api' : 'all', server.pid],
        ...besides.map(([name, { pid }]) => [name, pid] as const),
      ],
      loopDelay: () => loopDelay(dataDir),
      kill: () => kill(server),
    };
  } catch (error) {
    await kill();
    throw error;
  }
}
