import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, type AppendExpectedRevision } from '@eventstore/db-client';
import operationServices from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import { credentials } from '@grpc/grpc-js';
import type { Test } from 'tap';
import { EventStoreDbServer, type EventStoreDbOptions } from './eventstoredb-server.js';

export interface Fixture {
  readonly server: EventStoreDbServer;
  readonly client: EventStoreDBClient;
}

/** A stand-in of its own and a client; both end with the test. */
export async function startServer(t: Test, options: EventStoreDbOptions = {}): Promise<Fixture> {
  const server = await EventStoreDbServer.start({ folder: t.testdir(), ...options });
  const client = EventStoreDBClient.connectionString(server.url);
  t.teardown(async () => {
    await client.dispose();
    await server.stop();
  });
  return { server, client };
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

/** A whole scavenge of the server; the real one answers when it begins. */
export async function scavenge({ server }: Fixture): Promise<void> {
  const client = new operationServices.OperationsClient(
    `127.0.0.1:${server.port}`,
    credentials.createInsecure(),
  );
  const options = new operations.StartScavengeReq.Options();
  options.setThreadCount(1);
  const request = new operations.StartScavengeReq();
  request.setOptions(options);
  await new Promise<void>((resolve, reject) =>
    client.startScavenge(request, (error) => (error === null ? resolve() : reject(error))),
  );
  client.close();
}
