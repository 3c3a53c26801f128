import {
  both,
  createLogger,
  eventLogObserver,
  measuredEventLog,
  Metrics,
  openImportPool,
  watchStores,
  WriteWatch,
  type ImportPoolDeps,
  type ImportPoolOptions,
} from '@rollcall/host';
import { keyPaths, type Adapters, type KeyFolder } from '@rollcall/adapters';
import {
  newId,
  eventsToEnd,
  type Every,
  systemClock,
  type Clock,
  type ImportRunner,
  type Imports,
} from '@rollcall/application';
import { buildApp, type ApiDeps } from '@rollcall/api';
import { startProjector } from '@rollcall/projector';
import { startWorker } from '@rollcall/worker';

import type { CompanySettings } from '@rollcall/contracts';

import type { Test } from 'tap';
import { mustBeDescribed } from './reference.js';
import { startChildParts } from '../servers/child-parts.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { environmentOf, testConfig, type TestConfigOptions } from './test-config.js';
import { openTestStore, type TestStore } from './test-store.js';
import type { TokenMaker, TokenParts } from './tokens.js';

export { companyId, otherCompanyId, testContext, type TestStore } from './test-store.js';

export type Shape = 'one' | 'processes';
export const shapes: readonly Shape[] = ['one', 'processes'];

export interface TestAppOptions extends TestConfigOptions {
  readonly clock?: Clock;
  readonly every?: Every;
  readonly timer?: () => number;
  /** Gives the public keys when they are read again, from those that the app was started with. */
  readonly rereadPublicKeys?: (own: ReadonlyMap<string, string>) => Promise<KeyFolder>;
  /** Of company 7. */
  readonly settings?: Partial<CompanySettings>;
  /** Stands between the app and the real adapters. */
  readonly wrap?: (adapters: Adapters) => Pick<ApiDeps, 'log' | 'readModels' | 'damage' | 'snapshots'>;
  /** Stands between the app and its import threads. */
  readonly wrapImports?: (imports: Imports) => Imports;
  /** Another app, whose store, company and tokens this one shares; `settings` and `projector` are the other's then. */
  readonly beside?: Pick<TestApp, 'store'>;
  /** Where the log lines go; nowhere by default. */
  readonly logTo?: NodeJS.WritableStream;
  /** False: nothing is projected. */
  readonly projector?: boolean;
  /** True: what is queued is run; otherwise it waits for `runner`. */
  readonly worker?: boolean;
  /** Whether the disk can be written; asked after an append has failed. */
  readonly writeProbe?: () => Promise<void>;
  /** Everything in this process, or each part in its own; as TEST_SHAPE says by default. */
  readonly shape?: Shape;
}

export interface CallOptions {
  /** A token, or none for null; user 1 of company 7 by default. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined where it is empty. */
  readonly json: unknown;
}

interface TestAppParts {
  readonly store: TestStore;
  readonly runner: ImportRunner;
  readonly metrics?: Metrics;
  readonly address: string;
}

/**
 * The app that production runs, listening on a free port, with a projector, over embedded adapters in a temporary folder or,
 * with TEST_STACK=servers, over the three servers.
 * With TEST_SHAPE=processes each part is a process of its own, unless the test stands between its parts.
 * Company 7 has user 1 (HRIntegration) and user 2 (no role), company 8 has user 3 (HRIntegration).
 */
export class TestApp {
  readonly store: TestStore;
  /** Runs what is queued, as the worker does. */
  readonly runner: ImportRunner;
  readonly url: string;
  readonly port: number;

  readonly #metrics: Metrics | undefined;

  constructor(parts: TestAppParts) {
    this.store = parts.store;
    this.runner = parts.runner;
    this.#metrics = parts.metrics;
    this.url = parts.address;
    this.port = Number(new URL(parts.address).port);
  }

  get adapters(): Adapters {
    return this.store.adapters;
  }

  /** Of this process; a test that wants them has the shape `one`. */
  get metrics(): Metrics {
    if (!this.#metrics) throw new Error('each process has metrics of its own');
    return this.#metrics;
  }

  get tokens(): TokenMaker {
    return this.store.tokens;
  }

  token(parts: TokenParts = {}): string {
    return this.tokens.make(parts);
  }

  /** Throws where the answer is otherwise than the reference says. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { token = this.token(), body, headers } = options;
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...authorization(token), ...contentType(body), ...headers },
      ...(body === undefined ? {} : { body: asBody(body) }),
    });
    const { status, headers: given } = answer;
    const text = await answer.text();
    mustBeDescribed(method, path, { status, headers: given, text });
    return { status, headers: given, text, json: parsed(given, text) };
  }

  /** How many events the whole log holds. */
  async eventCount(): Promise<number> {
    let count = 0;
    const stop = new AbortController();
    for await (const item of this.adapters.log.subscribeToAll({ after: undefined, signal: stop.signal })) {
      if (item.kind === 'caught-up') break;
      count++;
    }
    return count;
  }

  /** Waits until the read models have everything that the log has. */
  async projected(): Promise<void> {
    let position: bigint | undefined;
    for await (const event of eventsToEnd(this.adapters.log, undefined)) ({ position } = event);
    if (position !== undefined && !(await this.adapters.readModels.reachedPosition(position, 60_000)))
      throw new Error('the read models do not follow');
  }
}

const authorization = (token: string | null) => (token === null ? {} : { authorization: `Bearer ${token}` });
const contentType = (body: unknown) => (body === undefined ? {} : { 'content-type': 'application/json' });

function parsed(headers: Headers, text: string): unknown {
  const isJson = /^application\/(problem\+)?json/.test(headers.get('content-type') ?? '');
  return isJson && text !== '' ? JSON.parse(text) : undefined;
}

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

/** Starts a `TestApp`; it is gone with the test. */
export async function startTestApp(t: Test, options: TestAppOptions = {}): Promise<TestApp> {
  const store = options.beside?.store ?? (await openTestStore(t, options.settings));
  const { shape = process.env['TEST_SHAPE'] } = options;
  const inProcesses = shape === 'processes' && Object.keys(options).every(isOfProcesses);
  return inProcesses ? startProcesses(t, store, options) : startInProcess(t, store, options);
}

async function startInProcess(t: Test, store: TestStore, options: TestAppOptions): Promise<TestApp> {
  const { tokens } = store;
  const metrics = new Metrics({ defaults: false });
  const writes = new WriteWatch([
    { name: 'data folder', probe: options.writeProbe ?? nothing, isScarce: () => Promise.resolve(false) },
  ]);
  const observe = both(eventLogObserver(metrics), writes.observe);
  const bare = partsOf(store, options);
  const parts = { ...bare, log: measuredEventLog(bare.log, observe) };
  const { log, clock } = parts;
  watchStores(metrics, { ...parts, queue: store.adapters.queue });
  const pool = openPool(t, store, {
    ...{ accepts: true, log, clock, observe, onUnavailable: writes.suspect },
    readModels: parts.readModels,
    queueBodyBytes: testConfig(options).queueBodyBytes,
  });
  const app = await buildApp({
    ...parts,
    digestKey: store.digestKey,
    temporaryFolder: store.config.dataDir,
    metrics,
    writes,
    config: testConfig(options),
    newId,
    publicKeys: tokens.publicKeys,
    readPublicKeys: () =>
      options.rereadPublicKeys?.(tokens.publicKeys) ??
      Promise.resolve({ keys: tokens.publicKeys, unusable: new Map() }),
    imports: options.wrapImports?.(pool) ?? pool,
  });
  t.teardown(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  if (!options.beside && options.projector !== false)
    startFollowers(t, store, { ...options, metrics, runner: pool });
  return new TestApp({ store, metrics, runner: pool, address });
}

const nothing = (): Promise<void> => Promise.resolve();

/** What a test may ask of the service as separate processes. */
const isOfProcesses = (option: string): boolean =>
  ['config', 'settings', 'projector', 'worker', 'shape'].includes(option);

async function startProcesses(t: Test, store: TestStore, options: TestAppOptions): Promise<TestApp> {
  const { dataDir } = store.config;
  await store.tokens.writePublicKey(keyPaths(dataDir).publicFolder);
  const parts = await startChildParts({
    dataDir,
    env: { ...adapterEnvironment(store.config), ...environmentOf(testConfig(options)) },
    projectors: options.projector === false ? 0 : 1,
    workers: options.worker === true ? 1 : 0,
  });
  t.teardown(() => parts.kill());
  const runner = openPool(t, store, { accepts: false, ...store.adapters, clock: systemClock });
  return new TestApp({ store, runner, address: parts.apis[0]?.url ?? '' });
}

function openPool(
  t: Test,
  { config, digestKey }: TestStore,
  parts: ImportPoolDeps & Pick<ImportPoolOptions, 'accepts' | 'queueBodyBytes'>,
): Imports & ImportRunner {
  const threadData = { adapters: config, digestKey, cacheBytes: 8 * 1024 * 1024 };
  const pool = openImportPool(threadData, parts, {
    ...parts,
    runThreads: 2,
    keepsReady: false,
  });
  t.teardown(() => pool.close());
  return pool;
}

/** The projector, and the worker where it is wanted. */
function startFollowers(
  t: Test,
  { adapters, digestKey, config: adaptersConfig }: TestStore,
  { worker, runner, metrics }: TestAppOptions & { readonly runner: ImportRunner; readonly metrics: Metrics },
): void {
  const logger = createLogger('silent');
  const projector = startProjector({
    adapters,
    digestKey,
    callTerm: Infinity,
    verifyEveryMs: Infinity,
    logger,
  });
  t.teardown(() => projector.close());
  if (worker !== true) return;
  const keyFolder = t.testdirName;
  const anchors = { file: undefined, url: undefined };
  const config = { adapters: adaptersConfig, concurrency: 2, anchors, keyFolder, ownKeyFolder: keyFolder };
  const running = startWorker({ adapters, runner, config, logger, metrics });
  t.teardown(() => running.close());
}

const partsOf = ({ adapters }: TestStore, { logTo, clock, every, timer, wrap }: TestAppOptions) => ({
  ...(wrap?.(adapters) ?? { log: adapters.log, readModels: adapters.readModels }),
  logger: createLogger(logTo ? 'info' : 'silent', logTo),
  clock: clock ?? systemClock,
  ...(every ? { every } : {}),
  ...(timer ? { timer } : {}),
});
