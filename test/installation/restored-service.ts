import { join } from 'node:path';
import type { AdaptersConfig } from '@rollcall/adapters';
import type { Test } from 'tap';
import { rollcallOn, type Ran } from '../cli/rollcall.js';
import { generatedEmployees } from '../generators/employees.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { ChildProcess, entryOf, running } from '../servers/child-process.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { startThreeServers, type ThreeServers } from '../servers/three-servers.js';
import { serverAdapters } from '../support/test-stack.js';
import { until } from '../support/until.js';

type Part = 'api' | 'projector' | 'worker';
const parts: readonly Part[] = ['api', 'projector', 'worker'];

/** What a process says at `/health/ready`. */
export interface Ready {
  readonly Status: string;
  readonly Problems: readonly string[];
}

export interface Answered {
  readonly status: number;
  readonly json: unknown;
  readonly isReplayed: boolean;
}

/** An installation with company 7 on servers of its own, whose processes are started and ended by the test. */
export class RestoredService {
  readonly servers: ThreeServers;
  config: AdaptersConfig;
  readonly #token: string;
  #running = new Map<Part, ChildProcess>();

  private constructor(servers: ThreeServers, config: AdaptersConfig, token: string) {
    this.servers = servers;
    this.config = config;
    this.#token = token;
  }

  static async begin(t: Test): Promise<RestoredService> {
    const servers = await startThreeServers();
    t.teardown(() => servers.stop());
    const config = await serverAdapters(t, join(t.testdir(), 'data'), servers.urls);
    const [token = ''] = await prepareInstallation(config, [7]);
    const service = new RestoredService(servers, config, token);
    t.teardown(() => service.kill());
    return service;
  }

  async start(...which: readonly Part[]): Promise<void> {
    for (const part of which.length === 0 ? parts : which) {
      const env = { ...adapterEnvironment(this.config), LOG_LEVEL: 'silent', METRICS_PORT: '0' };
      const child = new ChildProcess({ dataDir: this.config.dataDir, entry: entryOf(part), env });
      this.#running.set(part, child);
      await child.says(running[part]);
      if (part === 'api') await child.says(API);
    }
  }

  async kill(): Promise<void> {
    for (const child of this.#running.values()) await child.kill();
    this.#running.clear();
  }

  async ready(): Promise<readonly Ready[]> {
    const urls = [...this.#running.values()].map((child) => child.metricsUrl ?? '');
    return Promise.all(urls.map(async (url) => (await (await fetch(`${url}/health/ready`)).json()) as Ready));
  }

  /** What they say once all of them say something like it. */
  async untilAllSay(what: (ready: Ready) => boolean): Promise<readonly Ready[]> {
    let said: readonly Ready[] = [];
    const isSo = async (): Promise<boolean> => (said = await this.ready()).every(what);
    await until(() => `another state than ${JSON.stringify(said)}`, isSo, { everyMs: 50 });
    return said;
  }

  untilReady(): Promise<unknown> {
    return this.untilAllSay(({ Status }) => Status === 'ok');
  }

  put(people: number, key: string): Promise<Answered> {
    const body = JSON.stringify(generatedEmployees(people));
    return this.#call({ method: 'PUT', body, headers: { 'idempotency-key': key } });
  }

  people(): Promise<Answered> {
    return this.#call({});
  }

  rollcall(words: string): Promise<Ran> {
    return rollcallOn(this.config.dataDir, adapterEnvironment(this.config))(words);
  }

  async #call(init: {
    readonly method?: string;
    readonly body?: string;
    readonly headers?: Record<string, string>;
  }): Promise<Answered> {
    const url = API.exec(this.#running.get('api')?.out ?? '')?.[0] ?? '';
    const headers = {
      ...init.headers,
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
    };
    const answer = await fetch(`${url}/v1.0/Company/7/Employee`, { ...init, headers });
    return {
      status: answer.status,
      json: await answer.json(),
      isReplayed: answer.headers.has('idempotent-replayed'),
    };
  }
}

const API = /(?<=The api listens on )\S+/;

/** How many people an answer shows. */
export const countIn = ({ json }: Answered): number | undefined =>
  Array.isArray(json) ? json.length : undefined;
