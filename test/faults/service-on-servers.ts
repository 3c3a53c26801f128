import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AdaptersConfig } from '@rollcall/adapters';
import type { Test } from 'tap';
import { startChildParts, type ChildParts } from '../servers/child-parts.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { TcpProxy } from '../servers/tcp-proxy.js';
import { startThreeServers } from '../servers/three-servers.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { until } from '../support/until.js';

export type Store = 'eventLog' | 'readModels' | 'queue';

/** What `/health/ready` says where a store is missing. */
export const missing: Readonly<Record<Store, string>> = {
  eventLog: 'the event log cannot be read',
  readModels: 'the read models cannot be read',
  queue: 'the queue cannot be reached',
};

/** A server behind its proxy. */
export interface StoreInTrouble {
  readonly proxy: TcpProxy;
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

/** The service's processes on three servers, each behind a proxy. */
export interface ServiceOnServers {
  readonly stores: Readonly<Record<Store, StoreInTrouble>>;
  readonly parts: ChildParts;
  readonly url: string;
  readonly tokens: readonly string[];
  /** The same installation, past the proxies. */
  readonly direct: AdaptersConfig;
  /** What the api, the projector and the worker say at `/health/ready` now. */
  problems(): Promise<string[]>;
  /** How long it took until all of them were ready. */
  untilReady(): Promise<number>;
}

const readyWithinMs = 60_000;

async function problemsAt(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/health/ready`);
  return ((await answer.json()) as { Problems: string[] }).Problems;
}

/** Starts everything, with companies that may be imported to; gone with the test. */
export async function serviceOnServers(t: Test, companyIds: readonly number[]): Promise<ServiceOnServers> {
  const servers = await startThreeServers();
  t.teardown(() => servers.stop());
  const proxied = async (port: number): Promise<TcpProxy> => {
    const proxy = await TcpProxy.start(port);
    t.teardown(() => proxy.stop());
    return proxy;
  };
  const [eventLog, readModels, queue] = [
    await proxied(servers.eventLog.port),
    await proxied(servers.readModels.port),
    await proxied(servers.queue.port),
  ];
  const database = `faults-${randomBytes(6).toString('hex')}`;
  const config = (ports: { eventLog: number; readModels: number; queue: number }): AdaptersConfig => ({
    dataDir: join(t.testdirName, 'data'),
    eventLog: { kind: 'eventstoredb', connectionString: `esdb://127.0.0.1:${ports.eventLog}?tls=false` },
    // Otherwise the driver would go past the proxy, to the address that the server gives.
    readModels: {
      kind: 'mongodb',
      url: `mongodb://127.0.0.1:${ports.readModels}/${database}?directConnection=true`,
    },
    queue: { kind: 'nats', url: `nats://127.0.0.1:${ports.queue}`, replicas: 1 },
    streamPrefix: `${randomUUID()}-`,
  });
  t.testdir();
  const direct = config({
    eventLog: servers.eventLog.port,
    readModels: servers.readModels.port,
    queue: servers.queue.port,
  });
  const tokens = await prepareInstallation(direct, companyIds);
  const { streamPrefix } = direct;
  const behindProxies = {
    ...config({ eventLog: eventLog.port, readModels: readModels.port, queue: queue.port }),
    streamPrefix,
  };
  const env = { ...adapterEnvironment(behindProxies), LOG_LEVEL: 'fatal' };
  const parts = await startChildParts({ dataDir: direct.dataDir, env });
  t.teardown(() => parts.kill());
  const url = parts.apis[0]?.url ?? '';
  const urls = [url, ...[...parts.projectors, ...parts.workers].map((child) => child.metricsUrl ?? '')];
  const problems = async (): Promise<string[]> => [
    ...new Set((await Promise.all(urls.map(problemsAt))).flat()),
  ];
  const untilReady = async (): Promise<number> => {
    const begun = performance.now();
    let left: readonly string[] = [];
    const isReady = async (): Promise<boolean> => (left = await problems()).length === 0;
    const what = (): string => `ready, without ${left.join('; ')}`;
    await until(what, isReady, { withinMs: readyWithinMs, everyMs: 50 });
    return performance.now() - begun;
  };
  const stores = {
    eventLog: {
      proxy: eventLog,
      kill: () => servers.eventLog.kill(),
      startAgain: () => servers.eventLog.restart(),
    },
    readModels: {
      proxy: readModels,
      kill: () => servers.readModels.kill(),
      startAgain: () => servers.readModels.start(),
    },
    queue: { proxy: queue, kill: () => servers.queue.kill(), startAgain: () => servers.queue.start() },
  };
  return { stores, parts, url, tokens, direct, problems, untilReady };
}
