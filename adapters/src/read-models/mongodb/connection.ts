import { setTimeout } from 'node:timers/promises';
import {
  MongoClient,
  MongoParseError,
  type Collection,
  type CommandStartedEvent,
  type Db,
  type Document,
  type MongoClientOptions,
} from 'mongodb';
import { ConfigInvalid } from '../../host/environment.js';
import { ReadModelsUnavailable, within } from '@rollcall/application';
import { Heartbeats } from './heartbeats.js';
import { OverdueCalls } from './overdue-calls.js';
import { asOutage } from './outages.js';
import { durableOptions, ensureDurable } from './url-options.js';

export interface ConnectionOptions {
  /** The connection string; its path names the database, `rollcall` where it has none. */
  readonly url: string;
  /** How long one reading call may take (ms). */
  readonly readMs: number;
  /** How long one writing call may take (ms), the wait for the majority included. */
  readonly writeMs: number;
  /** How many connections there are at most. */
  readonly poolSize?: number | undefined;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: ((event: CommandStartedEvent) => void) | undefined;
}

const DATABASE = 'rollcall';
const CONNECT_MS = 3_000;
const HEARTBEAT_MS = 2_000;
const POOL_SIZE = 30;
/** MongoDB 5.0. */
const MIN_WIRE_VERSION = 13;

/** A call's own deadline: it ends then, whatever the driver or the server do. */
export interface Deadline {
  /** Carries out one step of the call; none is begun too late. */
  step<T>(work: (leftMs: number) => Promise<T>): Promise<T>;
}

/** One client and its database. Nothing of it hangs, and all that fails in it is `ReadModelsUnavailable`. */
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

  /**
   * `ReadModelsUnavailable` where no primary answers in time, `ConfigInvalid` where the connection string is none, asks for
   * less than the read models need, or leads to a server that is too old.
   */
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

  /** Whether several reads can see one state of the database. */
  get hasSnapshots(): boolean {
    return this.#hasSnapshots;
  }

  /** Not to be kept: the client may be another one later. */
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
      await deadline.step(() => this.#client.connect());
      return deadline.step(() => this.db.admin().command({ hello: 1 }));
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

  /** A client that no longer looks at its servers would never find them again, and lost calls keep connections. */
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

  /** `ReadModelsUnavailable` once it is closed. */
  checkOpen(): void {
    // The client would connect again by itself.
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

const late = (ms: number): ReadModelsUnavailable =>
  new ReadModelsUnavailable(`the read models did not answer within ${ms} ms`);

/** Connects to nothing yet. The connection string is never repeated: it may hold a password. */
function clientFor(options: ConnectionOptions): MongoClient {
  ensureDurable(options.url);
  try {
    const client = new MongoClient(options.url, clientOptions(options));
    if (options.commandStarted !== undefined) client.on('commandStarted', options.commandStarted);
    return client;
  } catch (error) {
    const reason =
      error instanceof MongoParseError
        ? error.message.replaceAll(options.url, '')
        : error instanceof Error
          ? error.name
          : 'it cannot be read';
    throw new ConfigInvalid(`MONGODB_URL is no connection string that can be used: ${reason}`);
  }
}

/** What must hold for every command, whatever the connection string says. */
const clientOptions = (options: ConnectionOptions): MongoClientOptions => ({
  appName: 'rollcall',
  ...durableOptions(options.writeMs),
  serverSelectionTimeoutMS: Math.min(CONNECT_MS, options.readMs),
  connectTimeoutMS: CONNECT_MS,
  // A hung server's connections are given up some time after their calls.
  socketTimeoutMS: options.writeMs + CONNECT_MS,
  waitQueueTimeoutMS: options.writeMs,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  maxPoolSize: options.poolSize ?? POOL_SIZE,
  monitorCommands: options.commandStarted !== undefined,
  promoteBuffers: true,
  ignoreUndefined: true,
});

/** `ConfigInvalid` below MongoDB 5.0: older ones take writes, and refuse the reads that see one state. */
function ensureRecent({ maxWireVersion }: Document): void {
  if (Number(maxWireVersion) >= MIN_WIRE_VERSION) return;
  throw new ConfigInvalid(
    `MONGODB_URL leads to a server of wire version ${Number(maxWireVersion)}: MongoDB 5.0, wire version ` +
      `${MIN_WIRE_VERSION}, or later is needed`,
  );
}

/** The path of a connection string. */
function databaseOf(url: string): string {
  const name = /^[^:]+:\/\/[^/]+\/(?<name>[^?/]+)/.exec(url)?.groups?.['name'];
  return name === undefined ? DATABASE : decodeURIComponent(name);
}
