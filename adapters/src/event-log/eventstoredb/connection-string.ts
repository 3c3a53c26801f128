import { createRequire } from 'node:module';
import type * as Client from '@eventstore/db-client';

/** Every process and thread reads its configuration; only one that has a connection string to read loads the client. */
const load = createRequire(import.meta.url);

/** The client warns of other keys by printing the whole string, password and all: they are refused before it sees them. */
const KEYS = new Map(
  [
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
    'nodePreference',
    'throwOnAppendFailure',
    'tls',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
  ].map((key) => [key.toLowerCase(), key]),
);

/** Says what is wrong with a connection string, and never repeats it: it may hold a password. */
export class ConnectionStringInvalid extends Error {
  override readonly name = 'ConnectionStringInvalid';
}

/** A client that has not connected yet. `ConnectionStringInvalid` for anything but a connection string of EventStoreDB. */
export function clientFor(connectionString: string): Client.EventStoreDBClient {
  checkForm(connectionString);
  const { EventStoreDBClient } = load('@eventstore/db-client') as typeof Client;
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    // A parse error shows parts of the string.
    const isParseError = error instanceof Error && 'connectionString' in error;
    const reason = error instanceof Error && !isParseError ? error.message : 'it cannot be parsed';
    throw new ConnectionStringInvalid(`${reason}; ${EXPECTED}`);
  }
}

/** A client that stays with one node (`host:port`) of the cluster that a connection string names. */
export const clientAt = (connectionString: string, node: string): Client.EventStoreDBClient =>
  clientFor(connectionString.trim().replace(/^esdb(?:\+discover)?:\/\/([^@/?]*@)?[^?]*/, `esdb://$1${node}`));

/** What is wrong with a connection string, in one line; undefined for one that can be used. */
export function connectionStringProblem(connectionString: string): string | undefined {
  try {
    clientFor(connectionString);
    return undefined;
  } catch (error) {
    if (error instanceof ConnectionStringInvalid) return error.message;
    throw error;
  }
}

const EXPECTED =
  'expected esdb://user:password@host:2113 or esdb+discover://..., with options such as ?tls=false';

function checkForm(connectionString: string): void {
  if (!/^esdb(\+discover)?:\/\/./.test(connectionString.trim())) throw new ConnectionStringInvalid(EXPECTED);
  const query = connectionString.trim().split('?').slice(1).join('?');
  for (const option of query.split('&').filter((text) => text !== '')) {
    const key = option.split('=')[0] ?? '';
    if (KEYS.has(key.trim().toLowerCase().replace(/[_-]/g, ''))) continue;
    const shown = /^\w{1,40}$/.test(key) ? `the option ${key}` : 'an option';
    throw new ConnectionStringInvalid(`${shown} is unknown; known are ${[...KEYS.values()].join(', ')}`);
  }
}
