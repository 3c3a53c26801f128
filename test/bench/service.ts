import { startChildParts } from '../servers/child-parts.js';
import { startChildServer } from '../servers/child-server.js';

/** `npm start`, or the parts as processes of their own. */
export type Shape = 'together' | 'apart';

export const shapeNames: Readonly<Record<Shape, string>> = {
  together: 'npm start',
  apart: 'api, projector, worker apart',
};

/** The service under measurement. */
export interface Service {
  readonly url: string;
  /** Of the process that answers calls. */
  readonly pid: number;
  /** Of all its processes. */
  readonly pids: readonly number[];
  /** Ends it as an operator does. */
  stop(): Promise<unknown>;
  kill(): Promise<void>;
}

/** Starts the service in that shape; on the embedded adapters, where `env` says nothing else. */
export async function startService(
  shape: Shape,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  if (shape === 'together') {
    const server = await startChildServer({ dataDir, env });
    return { ...server, pids: [server.pid] };
  }
  const parts = await startChildParts({ dataDir, env });
  const { apis, projectors, workers } = parts;
  return {
    url: apis[0]?.url ?? '',
    pid: apis[0]?.pid ?? 0,
    pids: [...apis, ...projectors, ...workers].map(({ pid }) => pid),
    stop: () => parts.stop(),
    kill: () => parts.kill(),
  };
}
