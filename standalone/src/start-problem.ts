import { EventLogUnavailable, KeysUnusable, ReadModelsUnavailable } from '@rollcall/adapters';
import { ConfigInvalid, type ServerConfig } from '@rollcall/api';
import { DataFolderUnusable } from './data-folder.js';

const told = [ConfigInvalid, DataFolderUnusable, KeysUnusable, EventLogUnavailable, ReadModelsUnavailable];

type Listening = Pick<ServerConfig, 'host' | 'port'>;

/** What the operating system says about the address, in words that name the variable. */
const listenProblems: Readonly<Record<string, (config: Listening) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} on ${host} is taken: stop what listens there, or choose another PORT.`,
  EACCES: ({ port }) => `PORT ${port} may not be used by this user: choose one from 1024 up.`,
  EADDRNOTAVAIL: ({ host }) => `HOST ${host} is no address of this machine.`,
  ENOTFOUND: ({ host }) => `HOST ${host} is no address and no name that is known.`,
};

function listenProblem(error: Error, config: Listening | undefined): string | undefined {
  if (!config || !('code' in error) || !('syscall' in error)) return undefined;
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return undefined;
  return listenProblems[String(error.code)]?.(config);
}

/** Why the start failed, in one line; with where it happened only if it is nothing that could be foreseen. */
export function startProblem(error: unknown, config: Listening | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (told.some((kind) => error instanceof kind)) return error.message;
  return listenProblem(error, config) ?? error.stack ?? error.message;
}
