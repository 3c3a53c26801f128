import { setTimeout } from 'node:timers/promises';
import {
  MongoClient,
  type Collection,
  type CommandStartedEvent,
  type Db,
  type Document,
  type MongoClientOptions,
} from 'mongodb';
import { ConfigInvalid } from '../../config-invalid.js';
import { ReadModelsLate, ReadModelsUnavailable, within } from '@rollcall/application';
import { Heartbeats, asOutage, OverdueCalls } from './outages.js';

interface ConnectionOptions {
  /** Its path names the database, by default `rollcall`. */
  readonly url: string;
  readonly readMs: number;
  readonly writeMs: number;
  readonly poolSize?: number | undefined;
  readonly commandStarted?: ((event: CommandStartedEvent) => void) | undefined;
}

const DATABASE = 'rollcall';
const CONNECT_MS = 3_000;
const HEARTBEAT_MS = 2_000;
const POOL_SIZE = 30;
/** MongoDB 5.0. */
const MIN_WIRE_VERSION = 13;

/** Ends the call in time, whatever the driver or the server do. */
export interface Deadline {
  /** Throws instead of starting a step too late. */
  step<T>(work: (leftMs: number) => Promise<T>): Promise<T>;
}

/** A client and its database. No call hangs; every failure is `ReadModelsUnavailable`. */
export class Connection {
  #client: MongoClient;
  #heartbeats: Heartbeats;
  #overdue = new OverdueCalls();
  readonly #options: ConnectionOptions;
  #open = true;
  #hasSnapshots = false;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#client = clientFor(options);
    this.#heartbeats = new Heartbeats(this.#client);
  }

  /** `ReadModelsUnavailable` without a primary in time; `ConfigInvalid` for a bad connection string or an old server. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    try {
      await connection.#connect();
      return connection;
    } catch (error) {
      await connection.close();
      throw asOutage(error);
    }
  }

  get hasSnapshots(): boolean {
    return this.#hasSnapshots;
  }

  get db(): Db {
    return this.#client.db(databaseOf(this.#options.url));
  }

  get client(): MongoClient {
    return this.#client;
  }

  collection<T extends object>(name: string): Collection<T> {
    return this.db.collection<T>(name);
  }

  read<T>(work: (deadline: Deadline) => Promise<T>): Promise<T> {
    return this.#use(this.#options.readMs, work);
  }

  write<T>(work: (deadline: Deadline) => Promise<T>): Promise<T> {
    return this.#use(this.#options.writeMs, work);
  }

  async close(): Promise<void> {
    this.#open = false;
    const closed = this.#client.close().catch(() => undefined);
    await Promise.race([closed, setTimeout(CONNECT_MS, undefined, { ref: false })]);
  }

  async #connect(): Promise<void> {
    const hello = await this.read(async (deadline) => {
      try {
        await deadline.step(() => this.#client.connect());
        return await deadline.step(() => this.db.admin().command({ hello: 1 }));
      } catch (error) {
        throw isMistake(error) ? mistake(error) : error;
      }
    });
    ensureRecent(hello);
    this.#hasSnapshots = hello['setName'] !== undefined || hello['msg'] === 'isdbgrid';
  }

  async #use<T>(ms: number, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    try {
      return await work(deadlineIn(ms, this.#overdue, () => this.checkOpen()));
    } catch (error) {
      this.checkOpen();
      this.#renewWhereStuck();
      throw asOutage(error);
    }
  }

  #renewWhereStuck(): void {
    if (!this.#heartbeats.haveStopped && !this.#overdue.areLost) return;
    const stuck = this.#client;
    this.#client = clientFor(this.#options);
    this.#heartbeats = new Heartbeats(this.#client);
    this.#overdue = new OverdueCalls();
    stuck.close().catch(() => undefined);
  }

  /** `ReadModelsUnavailable` once the client is closed. */
  checkIs(client: MongoClient): void {
    this.checkOpen();
    if (client !== this.#client) throw new ReadModelsUnavailable('the connection to MongoDB was renewed');
  }

  checkOpen(): void {
    // The client would reconnect by itself.
    if (!this.#open) throw new ReadModelsUnavailable('the read models are closed');
  }
}

function deadlineIn(ms: number, overdue: OverdueCalls, check: () => void): Deadline {
  const end = performance.now() + ms;
  return {
    step: async (work) => {
      check();
      const left = Math.ceil(end - performance.now());
      if (left <= 0) throw late(ms);
      const call = work(left);
      return within(call, left, () => {
        overdue.add(call);
        return late(ms);
      });
    },
  };
}

const late = (ms: number): ReadModelsLate =>
  new ReadModelsLate(`the read models did not answer within ${ms} ms`);

/** Not connected yet. Never repeats the connection string: it may hold a password. */
function clientFor(options: ConnectionOptions): MongoClient {
  // The driver would take for hosts what follows an `@` in a password, and repeat it.
  if (/^[^/]*\/\/[^/?]*[/?].*@/s.test(options.url))
    throw new ConfigInvalid(`MONGODB_URL has an @ behind its hosts${ENCODE}`);
  ensureDurable(options.url);
  try {
    const client = new MongoClient(options.url, clientOptions(options));
    if (options.commandStarted !== undefined) client.on('commandStarted', options.commandStarted);
    return client;
  } catch (error) {
    throw mistake(error);
  }
}

const NOT_ENCODED = /unescaped|malformed|^Invalid connection string/;
const ENCODE = '; in a user or password write / ? # % @ : [ ] percent-encoded, such as %40 for @';

/** Of the connection string, or of a file that it names. Two packages have a MongoParseError. */
const isMistake = (error: unknown): error is Error =>
  error instanceof Error &&
  (/^Mongo(?:Parse|API|InvalidArgument|MissingDependency)Error$/.test(error.name) ||
    ('syscall' in error && error.syscall === 'open'));

function mistake(error: unknown): ConfigInvalid {
  const reason = isMistake(error) ? error.message : 'it cannot be read';
  const hint = NOT_ENCODED.test(reason) ? ENCODE : '';
  return new ConfigInvalid(`MONGODB_URL is no connection string that can be used: ${reason}${hint}`);
}

/** Overrides the connection string. */
const clientOptions = (options: ConnectionOptions): MongoClientOptions => ({
  appName: 'rollcall',
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: options.writeMs },
  retryWrites: true,
  // Before the deadline of a read, so that its error says why.
  serverSelectionTimeoutMS: Math.min(CONNECT_MS, 0.9 * options.readMs),
  connectTimeoutMS: CONNECT_MS,
  // A hung server's connections are closed some time after their calls.
  socketTimeoutMS: options.writeMs + CONNECT_MS,
  waitQueueTimeoutMS: options.writeMs,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  maxPoolSize: options.poolSize ?? POOL_SIZE,
  monitorCommands: options.commandStarted !== undefined,
  promoteBuffers: true,
  ignoreUndefined: true,
});

/** `ConfigInvalid` below MongoDB 5.0, which lacks snapshot reads. */
function ensureRecent({ maxWireVersion }: Document): void {
  if (Number(maxWireVersion) >= MIN_WIRE_VERSION) return;
  throw new ConfigInvalid(
    `MONGODB_URL leads to a server of wire version ${Number(maxWireVersion)}: MongoDB 5.0, wire version ` +
      `${MIN_WIRE_VERSION}, or later is needed`,
  );
}

function databaseOf(url: string): string {
  const name = /^[^:]+:\/\/[^/]+\/(?<name>[^?/]+)/.exec(url)?.groups?.['name'];
  return name === undefined ? DATABASE : decodeURIComponent(name);
}

/** Options in lower case, with their one allowed value. */
const ONLY: Readonly<Record<string, string>> = {
  readconcernlevel: 'majority',
  readpreference: 'primary',
  w: 'majority',
  journal: 'true',
  j: 'true',
  retrywrites: 'true',
};

/** `ConfigInvalid` where the connection string asks for less than the read models need. */
function ensureDurable(url: string): void {
  for (const [name, value] of new URLSearchParams(url.split('?').slice(1).join('?'))) {
    const only = ONLY[name.toLowerCase()];
    if (only !== undefined && value.toLowerCase() !== only)
      throw new ConfigInvalid(
        `MONGODB_URL has the option ${name} with another value than ${only}: leave it out, read models are always ` +
          `read and written with ${only}`,
      );
  }
}
