import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, type AppendExpectedRevision } from '@eventstore/db-client';
import operationServices from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import { credentials } from '@grpc/grpc-js';
import type { Test } from 'tap';
import { until } from '../support/until.js';
import { EventStoreDbServer, type EventStoreDbOptions } from './eventstoredb-server.js';
import { realServer, type TestedServer } from './real-eventstoredb.js';

export { RESTARTS, STAND_IN_ONLY, WIRE } from './real-eventstoredb.js';

export interface Fixture<S extends TestedServer = TestedServer> {
  readonly server: S;
  readonly client: EventStoreDBClient;
  /** The name of a stream that is this test's alone: a real server may hold anything. Of '' what they begin with. */
  readonly of: (name: string) => string;
}

/** A stand-in of its own, or the real server, and a client; all end with the test. */
export async function startServer(t: Test): Promise<Fixture> {
  return realServer === undefined ? startStandIn(t) : withClient(t, realServer);
}

/** For a test of what only the stand-in can be told to do. */
export async function startStandIn(
  t: Test,
  options: EventStoreDbOptions = {},
): Promise<Fixture<EventStoreDbServer>> {
  const server = await EventStoreDbServer.start({ folder: t.testdir(), ...options });
  t.teardown(() => server.stop());
  return withClient(t, server);
}

function withClient<S extends TestedServer>(t: Test, server: S): Fixture<S> {
  const client = EventStoreDBClient.connectionString(server.url);
  t.teardown(() => client.dispose());
  const prefix = randomUUID();
  return { server, client, of: (name) => `${prefix}-${name}` };
}

/** Given with an append, the client takes the unary call instead of the batch stream. */
export const UNARY = { credentials: { username: 'nobody', password: 'nothing' } };

export const event = (id: string = randomUUID(), data: unknown = { some: 'data' }) =>
  jsonEvent({ id, type: 'SomethingHappened', data: data as Record<string, string> });

export const events = (count: number) => Array.from({ length: count }, () => event());

/** Appends to a stream and gives the last revision and position. */
export async function put(
  client: EventStoreDBClient,
  stream: string,
  expectedRevision: AppendExpectedRevision,
  count = 1,
) {
  const result = await client.appendToStream(stream, events(count), { expectedRevision });
  return { revision: result.nextExpectedRevision, position: result.position?.commit ?? -1n };
}

/** What an error of the client says. */
export interface Told {
  readonly name: string;
  readonly type?: string;
  readonly code?: number;
  readonly message: string;
  readonly details?: string;
  readonly streamName?: string;
  readonly expectedVersion?: unknown;
  readonly actualVersion?: unknown;
  readonly maxAppendSize?: number;
}

/** The error that a call ends with. */
export async function failing(call: Promise<unknown> | AsyncIterable<unknown>): Promise<Told> {
  try {
    if (call instanceof Promise) await call;
    else await collect(call);
  } catch (error) {
    return error as Told;
  }
  throw new Error('The call did not fail');
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Somebody else's events, as many as it takes: the stand-in passes them as a real server would, and keeps one. */
export const neighbours = (count: number) => {
  const data = { room: 'x'.repeat(Math.ceil(count / 1_000)) };
  return jsonEvent({ type: `Neighbours*${count}`, data });
};

/** A whole scavenge of the server, to its end. */
export async function scavenge({ server, client: reader }: Fixture): Promise<void> {
  const client = new operationServices.OperationsClient(server.address, credentials.createInsecure());
  const options = new operations.StartScavengeReq.Options();
  options.setThreadCount(1);
  const request = new operations.StartScavengeReq();
  request.setOptions(options);
  const id = await new Promise<string>((resolve, reject) =>
    client.startScavenge(request, (error, answer) =>
      error === null ? resolve(answer.getScavengeId()) : reject(error),
    ),
  );
  client.close();
  // A server answers when it begins.
  await until('it is done', () => isCompleted(reader, id), { everyMs: 20 });
}

async function isCompleted(client: EventStoreDBClient, scavengeId: string): Promise<boolean> {
  const newest = { direction: 'backwards', fromRevision: 'end', maxCount: 1 } as const;
  const reading = collect(client.readStream(`$scavenges-${scavengeId}`, newest));
  const [last] = await reading.catch(() => []);
  return last?.event?.type === '$scavengeCompleted';
}
