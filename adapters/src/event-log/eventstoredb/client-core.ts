import type { EventStoreDBClient } from '@eventstore/db-client';
import {
  connectivityState,
  type CallOptions,
  type ChannelInterface,
  type Client,
  type Metadata,
} from '@grpc/grpc-js';
import type { ReadStream } from './read-call.js';
import type { BatchCall, StreamsClient } from './streams-service.js';

type Service<C extends Client> = abstract new (...args: never[]) => C;

/**
 * The used part of the client: one connection with discovery, TLS, credentials and leader changes. Its own operations parse
 * JSON, share one append stream, and read without a deadline (docs/decisions, "EventStoreDB on the wire").
 */
export interface ClientCore {
  readonly GRPCStreamCreator: <S extends ReadStream | BatchCall>(
    service: Service<StreamsClient>,
    name: string,
    create: (client: StreamsClient) => S,
  ) => () => Promise<S>;
  readonly execute: <C extends Client, T>(
    service: Service<C>,
    name: string,
    action: (client: C) => Promise<T>,
  ) => Promise<T>;
  readonly callArguments: (
    base: { readonly requiresLeader: boolean; readonly deadline?: number },
    options?: CallOptions,
  ) => [Metadata, CallOptions];
  readonly getChannel: () => Promise<ChannelInterface>;
  createChannel: () => Promise<ChannelInterface>;
  resolveUri: () => Promise<string>;
  handleError: (client: Client, error: Error) => Promise<void>;
}

const CORE = [
  'GRPCStreamCreator',
  'execute',
  'callArguments',
  'getChannel',
  'createChannel',
  'resolveUri',
  'handleError',
];

function hasCore(client: unknown): client is ClientCore {
  return CORE.every((name) => typeof Reflect.get(Object(client), name) === 'function');
}

/** `TypeError` if the client's internals differ. */
export function coreOf(client: EventStoreDBClient): ClientCore {
  if (!hasCore(client)) throw new TypeError('This version of @eventstore/db-client is another one inside');
  return client;
}

export const nodeOf = (channel: ChannelInterface): string =>
  channel.getTarget().split(':').slice(-2).join(':');

export const isClosed = (client: StreamsClient | undefined): boolean =>
  client?.getChannel().getConnectivityState(false) === connectivityState.SHUTDOWN;
