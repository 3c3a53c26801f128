import { entryOf, startChild, type ChildProcess } from './child-process.js';
import { startChildServer, type ChildServer } from './child-server.js';

export interface PartsOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How many of each; one by default. */
  readonly apis?: number;
  readonly projectors?: number;
  readonly workers?: number;
}

/** The service as separate processes on one data folder. */
export interface ChildParts {
  readonly apis: readonly ChildServer[];
  readonly projectors: readonly ChildProcess[];
  readonly workers: readonly ChildProcess[];
  /** Ends all of them at once. */
  kill(): Promise<void>;
  /** Ends each as an operator does, all at the same time; their exit codes. */
  stop(): Promise<(number | null)[]>;
}

/** Those that do not answer calls serve their health at a port of its own. */
const health = { METRICS_PORT: '0' };

const several = <T>(count: number, start: () => Promise<T>): Promise<T>[] =>
  Array.from({ length: count }, () => start());

/** Starts them all at once; where one does not start, none is left. */
export async function startChildParts(options: PartsOptions): Promise<ChildParts> {
  const { dataDir, env = {}, apis = 1, projectors = 1, workers = 1 } = options;
  const starting = {
    apis: several(apis, () => startChildServer({ dataDir, env, entry: entryOf('api') })),
    projectors: several(projectors, () => startChild('projector', { dataDir, env: { ...env, ...health } })),
    workers: several(workers, () => startChild('worker', { dataDir, env: { ...env, ...health } })),
  };
  const all: readonly Promise<ChildServer | ChildProcess>[] = [
    ...starting.apis,
    ...starting.projectors,
    ...starting.workers,
  ];
  const kill = async (): Promise<void> => {
    const started = await Promise.allSettled(all);
    await Promise.all(started.flatMap((one) => (one.status === 'fulfilled' ? [one.value.kill()] : [])));
  };
  try {
    return {
      apis: await Promise.all(starting.apis),
      projectors: await Promise.all(starting.projectors),
      workers: await Promise.all(starting.workers),
      kill,
      stop: () => Promise.all(all.map(async (child) => (await child).stop())),
    };
  } catch (error) {
    await kill();
    throw error;
  }
}
