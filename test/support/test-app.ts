import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addApiUser,
  configureCompany,
  newId,
  openAdapters,
  openKeys,
  systemClock,
  type Adapters,
  type AdaptersConfig,
  type Clock,
} from '@rollcall/adapters';
import {
  buildApp,
  createLogger,
  defaultTimeouts,
  openImportPool,
  type ApiApp,
  type ApiConfig,
  type ApiDeps,
  type Every,
  type Timeouts,
} from '@rollcall/api';
import type { CallContext, CompanySettings } from '@rollcall/contracts';
import { projections, runProjector } from '@rollcall/projector';
import type { Test } from 'tap';
import { TokenMaker, type TokenParts } from './tokens.js';

export interface TestAppOptions {
  readonly config?: Partial<Omit<ApiConfig, 'timeouts'>>;
  readonly timeouts?: Partial<Timeouts>;
  readonly clock?: Clock;
  readonly every?: Every;
  /** Of company 7. */
  readonly settings?: Partial<CompanySettings>;
  /** Stands between the app and the real adapters. */
  readonly wrap?: (adapters: Adapters) => Pick<ApiDeps, 'log' | 'readModels'>;
  /** Where the log lines go; nowhere by default. */
  readonly logTo?: NodeJS.WritableStream;
  /** False: nothing is projected. */
  readonly projector?: boolean;
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

/** The company of the default caller. */
export const companyId = 7;
export const otherCompanyId = 8;

/** The context of what a test does beside HTTP. */
export const testContext = (company: number | null = null): CallContext => ({
  companyId: company,
  operationId: newId(),
  userId: null,
  username: 'cli:test@host',
  causationId: null,
  receivedAt: new Date(0).toISOString(),
});

/**
 * The app that production runs, listening on a free port, over embedded adapters in a temporary folder, with a projector.
 * Company 7 has user 1 (HRIntegration) and user 2 (no role), company 8 has user 3 (HRIntegration).
 */
export class TestApp {
  readonly app: ApiApp;
  readonly adapters: Adapters;
  readonly url: string;
  readonly port: number;
  readonly tokens: TokenMaker;

  constructor(parts: { app: ApiApp; adapters: Adapters; address: string; tokens: TokenMaker }) {
    this.app = parts.app;
    this.adapters = parts.adapters;
    this.url = parts.address;
    this.port = Number(new URL(parts.address).port);
    this.tokens = parts.tokens;
  }

  token(parts: TokenParts = {}): string {
    return this.tokens.make(parts);
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { token = this.token(), body, headers } = options;
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...authorization(token), ...contentType(body), ...headers },
      ...(body === undefined ? {} : { body: asBody(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parsed(answer.headers, text) };
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
    const position = await this.adapters.log.lastPosition();
    if (position !== undefined && !(await this.adapters.readModels.reached(position, 10_000)))
      throw new Error('the read models do not follow');
  }
}

const authorization = (token: string | null) => (token === null ? {} : { authorization: `Bearer ${token}` });
const contentType = (body: unknown) => (body === undefined ? {} : { 'content-type': 'application/json' });

function parsed(headers: Headers, text: string): unknown {
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return isJson && text !== '' ? JSON.parse(text) : undefined;
}

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

/** Starts a `TestApp`; it is gone with the test. */
export async function startTestApp(t: Test, options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const adaptersConfig: AdaptersConfig = {
    dataDir,
    eventLog: 'embedded',
    readModels: 'embedded',
    streamPrefix: '',
  };
  const adapters = await openAdapters(adaptersConfig);
  t.teardown(() => adapters.close());
  await populate(adapters, options.settings);
  if (options.projector !== false) t.teardown(startProjector(adapters));

  const tokens = testTokens();
  const logger = createLogger(options.logTo ? 'info' : 'silent', options.logTo);
  const { log, readModels } = options.wrap?.(adapters) ?? adapters;
  const { digestKey } = await openKeys({ folder: join(dataDir, 'keys') });
  const clock = options.clock ?? systemClock;
  const threadData = { adapters: adaptersConfig, digestKey, cacheBytes: 8 * 1024 * 1024 };
  const imports = openImportPool(threadData, { log, clock });
  t.teardown(() => imports.close());
  const app = await buildApp({
    config: testConfig(options),
    clock,
    newId,
    log,
    readModels,
    publicKeys: tokens.publicKeys,
    imports,
    logger,
    ...(options.every ? { every: options.every } : {}),
  });
  t.teardown(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return new TestApp({ app, adapters, address, tokens });
}

const testConfig = (options: TestAppOptions): ApiConfig => ({
  jwtIssuer: 'rollcall',
  jwtAudience: 'rollcall',
  jwtAlgorithm: 'EdDSA',
  bodyLimit: 1024 * 1024,
  employeeBodyLimit: 256 * 1024 * 1024,
  rateLimitPerMinute: 0,
  ...options.config,
  timeouts: { ...defaultTimeouts, ...options.timeouts },
});

async function populate({ log }: Adapters, settings: Partial<CompanySettings> = {}): Promise<void> {
  const deps = { log, clock: systemClock };
  const languages = [
    { id: 1045, label: 'English', code: 'en' },
    { id: 1041, label: 'Danish', code: 'da' },
  ];
  for (const id of [companyId, otherCompanyId]) {
    const changes = { name: `Company ${id}`, integrationEnabled: true, languages, ...settings };
    await configureCompany(deps, testContext(id), { companyId: id, changes });
  }
  for (const [id, roles] of [
    [companyId, ['HRIntegration']],
    [companyId, []],
    [otherCompanyId, ['HRIntegration']],
  ] as const)
    await addApiUser(deps, testContext(id), { companyId: id, name: `User of ${id}`, roles });
}

function startProjector({ log, readModels }: Adapters): () => Promise<void> {
  const stop = new AbortController();
  const running = runProjector({ log, readModels, projections, signal: stop.signal });
  return async () => {
    stop.abort();
    await running;
  };
}

function testTokens(): TokenMaker {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return new TokenMaker(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })), pem);
}
