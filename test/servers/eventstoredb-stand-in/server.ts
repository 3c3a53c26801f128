import { Server, ServerCredentials, type Metadata, type sendUnaryData } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { append, batchAppend, type AppendCall, type BatchCall } from './appends.js';
import { clusterInfo, supportedMethods, type Endpoint } from './cluster.js';
import { softDelete, tombstone, type DeleteCall, type TombstoneCall } from './deletions.js';
import { accessDenied, badReadStream, notLeader, notReady, type Failure } from './errors.js';
import { services, type streams } from './protocol.js';
import { readAll, readStream } from './reads.js';
import { CallEnded, fail, type ReadCall } from './sending.js';
import { Store } from './store.js';
import { subscribe } from './subscriptions.js';

export interface StandInOptions {
  readonly folder: string;
  /** 0 for a free one. */
  readonly port: number;
  /** So long after its start it answers "Server Is Not Ready". */
  readonly notReadyMs?: number;
  /** Appends by unary calls wait for up to so long before they are decided: they overtake each other. */
  readonly jitterMs?: number;
  /** Calls that require the leader are sent there. */
  readonly leader?: Endpoint;
  /** `name:password` that every call must carry. */
  readonly user?: string;
  /** Files with the server's certificate and its key; without TLS where they are not given. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

export interface StandIn {
  readonly port: number;
}

/** A server for the protocol of EventStoreDB 23.10, with its data on disk. For tests only. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const store = new Store(options.folder);
  const gate = new Gate(options);
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
  let own: Endpoint = { host: '127.0.0.1', port: options.port };
  server.addService(services.gossip, {
    read: (_call: unknown, callback: (error: null, answer: unknown) => void) =>
      callback(null, clusterInfo(options.leader ?? own)),
  });
  server.addService(services.features, {
    getSupportedMethods: (_call: unknown, callback: (error: Failure | null, answer?: unknown) => void) =>
      callback(null, supportedMethods()),
  });
  server.addService(services.streams, {
    read: (call: ReadCall) => void read(store, gate, call),
    append: gate.before(async (call: AppendCall, callback: sendUnaryData<streams.AppendResp>) => {
      if (options.jitterMs !== undefined) await wait(Math.random() * options.jitterMs);
      await append(store, call, callback);
    }),
    delete: gate.before((call: DeleteCall, callback: sendUnaryData<streams.DeleteResp>) =>
      softDelete(store, call, callback),
    ),
    tombstone: gate.before((call: TombstoneCall, callback: sendUnaryData<streams.TombstoneResp>) =>
      tombstone(store, call, callback),
    ),
    batchAppend: (call: BatchCall) => batchAppend(store, call, () => gate.isReady()),
  });
  own = { ...own, port: await bind(server, options) };
  return { port: own.port };
}

async function read(store: Store, gate: Gate, call: ReadCall): Promise<void> {
  call.on('error', () => undefined);
  const options = call.request.getOptions();
  const refusal = gate.refusal(call.metadata);
  if (refusal !== undefined) return fail(call, refusal);
  if (options === undefined) return fail(call, badReadStream());
  try {
    if (options.hasSubscription()) await subscribe(store, call, options);
    else if (options.hasAll()) await readAll(store, call, options);
    else await readStream(store, call, options);
  } catch (error) {
    if (!(error instanceof CallEnded)) throw error;
  }
}

type Handler<C, R> = (call: C, callback: sendUnaryData<R>) => Promise<void>;

/** Who may call at all, and where. */
class Gate {
  readonly #options: StandInOptions;
  readonly #readyAt: number;

  constructor(options: StandInOptions) {
    this.#options = options;
    this.#readyAt = performance.now() + (options.notReadyMs ?? 0);
  }

  isReady(): boolean {
    return performance.now() >= this.#readyAt;
  }

  refusal(metadata: Metadata): Failure | undefined {
    const { leader, user } = this.#options;
    if (!this.isReady()) return notReady();
    const [sent] = metadata.get('authorization');
    if (user !== undefined && sent !== `Basic ${Buffer.from(user).toString('base64')}`) return accessDenied();
    if (leader === undefined || metadata.get('requires-leader')[0] !== 'true') return undefined;
    return notLeader(leader.host, leader.port);
  }

  before<C extends { readonly metadata: Metadata }, R>(handler: Handler<C, R>) {
    return (call: C, callback: sendUnaryData<R>): void => {
      const refusal = this.refusal(call.metadata);
      if (refusal === undefined) void handler(call, callback);
      else callback(refusal);
    };
  }
}

function credentialsOf({ tls }: StandInOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: readFileSync(tls.certificate), private_key: readFileSync(tls.key) };
  return ServerCredentials.createSsl(null, [pair]);
}

const bind = (server: Server, options: StandInOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${options.port}`, credentialsOf(options), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
