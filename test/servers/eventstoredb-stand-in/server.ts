import { Server, ServerCredentials, type Metadata, type sendUnaryData } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { append, batchAppend, type AppendCall, type BatchCall } from './appends.js';
import { clusterInfo, type Endpoint } from './cluster.js';
import { connectionLimit } from './connection-limit.js';
import { softDelete, tombstone, type DeleteCall, type TombstoneCall } from './deletions.js';
import { badReadStream, notAuthenticated, type Failure } from './errors.js';
import { supportedMethods } from './features.js';
import { startScavenge, type ScavengeCall } from './operations.js';
import { nameIn, services, type operations, type streams } from './protocol.js';
import { readAll, readStream } from './reads.js';
import { Rights, type User } from './rights.js';
import { CallEnded, fail, type ReadCall } from './sending.js';
import { alone } from './standing.js';
import { Store, type StoreOptions } from './store.js';
import { subscribe } from './subscriptions.js';
import { Refused, Writing, type WritingPlace } from './writing.js';

export interface ServingOptions {
  /** Appends by unary calls wait for up to so long before they are decided: they overtake each other. */
  readonly jitterMs?: number;
  /** By which others reach it, on every address of the machine; without it only this machine does. */
  readonly host?: string;
  /** Files with the server's certificate and its key; without TLS where they are not given. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

export interface StandInOptions extends ServingOptions {
  readonly folder: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Until it is so it answers "Server Is Not Ready"; by default it is from the start. */
  readonly isReady?: () => boolean;
  /** So long after its writing an append is indexed: readers see it, and it is answered. */
  readonly commitDelayMs?: number;
  /** Waited for before an append is indexed: a leader whose appends are not replicated answers all else. */
  readonly replicated?: () => Promise<void>;
  /** So long a writer waits for that. */
  readonly commitTimeoutMs?: number;
  /** Calls that require the leader are sent there. */
  readonly leader?: Endpoint;
  /** Without TLS nobody is asked who he is. */
  readonly users?: readonly User[];
}

export interface StandIn {
  readonly port: number;
  readonly rights: Rights;
  readonly store: Store;
}

const loopback = '127.0.0.1';

/** So many calls run on one connection at once; the next one waits until one of them has ended. */
const MOST_CALLS = 100;

/** A server for the protocol of EventStoreDB 23.10, with its data on disk. For tests only. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { isReady = () => true, leader, users = [] } = options;
  let own: Endpoint = { host: options.host ?? loopback, port: options.port };
  const rights = new Rights(options.tls === undefined ? [] : users);
  const standing = alone({ own: () => own, isReady, leader });
  const store = new Store(options.folder, storeOptions(options));
  const { port } = await serve({ store, rights, standing }, options.port, options);
  own = { ...own, port };
  return { port, rights, store };
}

const storeOptions = ({ commitDelayMs = 0, commitTimeoutMs, replicated }: StandInOptions): StoreOptions => ({
  ...(commitDelayMs > 0 && { beforeIndexing: () => wait(commitDelayMs) }),
  ...(replicated !== undefined && { beforeIndexing: replicated }),
  ...(commitTimeoutMs !== undefined && { commitTimeoutMs }),
});

export interface Serving {
  readonly port: number;
  /** Cuts all connections and gives the port back. */
  end(): void;
}

/** Takes calls for one node. */
export async function serve(place: WritingPlace, port: number, options: ServingOptions): Promise<Serving> {
  const { standing } = place;
  const server = new Server({
    'grpc.max_receive_message_length': 16 * 1024 * 1024,
    interceptors: [connectionLimit(MOST_CALLS)],
  });
  server.addService(services.gossip, {
    read: answered(place, () => clusterInfo(standing.members())),
  });
  server.addService(services.features, {
    getSupportedMethods: answered(place, supportedMethods),
  });
  server.addService(services.operations, {
    startScavenge: (call: ScavengeCall, callback: sendUnaryData<operations.ScavengeResp>) =>
      void startScavenge(place.store, call, callback),
  });
  server.addService(services.streams, {
    read: (call: ReadCall) => void read(place, call),
    append: writer(place, async (writing, call: AppendCall, callback: sendUnaryData<streams.AppendResp>) => {
      if (options.jitterMs !== undefined) await wait(Math.random() * options.jitterMs);
      await append(writing, call, callback);
    }),
    delete: writer<DeleteCall, streams.DeleteResp>(place, softDelete),
    tombstone: writer<TombstoneCall, streams.TombstoneResp>(place, tombstone),
    batchAppend: (call: BatchCall) =>
      batchAppend(new Writing(place, call.metadata), call, () => refusalOf(place, call.metadata)),
  });
  return { port: await bind(server, port, options), end: () => server.forceShutdown() };
}

async function read(place: WritingPlace, call: ReadCall): Promise<void> {
  call.on('error', () => undefined);
  const options = call.request.getOptions();
  if (options === undefined) return fail(call, badReadStream());
  const refusal = refusalOf(place, call.metadata) ?? readRefusal(place, call, options);
  if (refusal !== undefined) return fail(call, refusal);
  try {
    await answer(place.store, call, options);
  } catch (error) {
    if (!(error instanceof CallEnded)) throw error;
  }
}

type ReadOptions = streams.ReadReq.Options;

function answer(store: Store, call: ReadCall, options: ReadOptions): Promise<void> {
  if (options.hasSubscription()) return subscribe(store, call, options);
  return options.hasAll() ? readAll(store, call, options) : readStream(store, call, options);
}

function readRefusal({ store, rights }: WritingPlace, call: ReadCall, options: ReadOptions) {
  const stream = options.hasAll() ? '$all' : nameIn(options.getStream()?.getStreamIdentifier());
  return rights.callerOf(call.metadata).refusal(store, 'read', stream);
}

const refusalOf = ({ standing }: WritingPlace, metadata: Metadata): Failure | undefined =>
  standing.refusal(metadata.get('requires-leader')[0] === 'true');

interface Asked {
  readonly metadata: Metadata;
}

/** What anybody may ask who sends no password, or the right one. */
function answered(place: WritingPlace, answer: () => unknown) {
  return ({ metadata }: Asked, callback: (error: Failure | null, answer?: unknown) => void): void => {
    if (place.rights.isKnown(metadata)) callback(null, answer());
    else callback(notAuthenticated());
  };
}

type Write<C, R> = (writing: Writing, call: C, callback: sendUnaryData<R>) => Promise<void>;

/** Refuses what is not taken here, and answers with the reason where that turns out later. */
function writer<C extends { readonly metadata: Metadata }, R>(place: WritingPlace, write: Write<C, R>) {
  return (call: C, callback: sendUnaryData<R>): void => {
    const refusal = refusalOf(place, call.metadata);
    if (refusal !== undefined) return callback(refusal);
    write(new Writing(place, call.metadata), call, callback).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      callback(error.failure);
    });
  };
}

function credentialsOf({ tls }: ServingOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: readFileSync(tls.certificate), private_key: readFileSync(tls.key) };
  return ServerCredentials.createSsl(null, [pair]);
}

const bind = (server: Server, port: number, options: ServingOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(
      `${options.host === undefined ? loopback : '0.0.0.0'}:${port}`,
      credentialsOf(options),
      (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      },
    );
  });
