import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  adaptersConfig,
  adapterVariables,
  pageVariables,
  processAddresses,
  readEnvironment,
  webhookNetworks,
  webhookVariables,
  withoutBlank,
} from '@rollcall/host';
import { anchorKeyPaths, keyPaths, type AdaptersConfig, type Networks } from '@rollcall/adapters';
import { callTerm, type CallTerm } from '@rollcall/application';
import { Type } from 'typebox';

export const cliVariables = {
  ...adapterVariables,
  ...webhookVariables,
  ...pageVariables,
  JWT_ISSUER: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_AUDIENCE: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_PUBLIC_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  JWT_PRIVATE_KEY_FILE: Type.Optional(Type.String({ minLength: 1 })),
};

const Environment = Type.Object(cliVariables);

/** Throws where this user may not look. */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

export interface CliConfig {
  readonly adapters: AdaptersConfig;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly publicFolder: string;
  readonly privateFile: string;
  readonly keyFolder: string;
  readonly anchorKeys: { readonly publicFolder: string; readonly privateFile: string };
  /** The default path: a missing private key may be created. */
  readonly ownPrivateKey: boolean;
  readonly callTerm: CallTerm;
  readonly logFolder: string;
  readonly processAddresses: readonly string[];
  readonly webhookNetworks: Networks;
  readonly operationsUrl: string;
}

export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  const vars = readEnvironment(Environment, env);
  const adapters = adaptersConfig(vars);
  const paths = keyPaths(adapters.dataDir, vars.SHARED_KEYS && resolve(vars.SHARED_KEYS));
  return {
    adapters,
    jwtIssuer: vars.JWT_ISSUER,
    jwtAudience: vars.JWT_AUDIENCE,
    publicFolder: vars.JWT_PUBLIC_KEYS ?? paths.publicFolder,
    keyFolder: paths.folder,
    anchorKeys: anchorKeyPaths(paths.folder, paths.ownFolder),
    privateFile: vars.JWT_PRIVATE_KEY_FILE ?? paths.privateFile,
    ownPrivateKey: vars.JWT_PRIVATE_KEY_FILE === undefined,
    callTerm: callTerm(vars.KEEP_CALLS),
    logFolder: join(adapters.dataDir, 'event-log'),
    webhookNetworks: webhookNetworks(vars),
    operationsUrl: vars.OPERATIONS_URL ?? `http://127.0.0.1:${withoutBlank(env)['PORT'] ?? '3000'}`,
    processAddresses: processAddresses(vars.PROCESS_ADDRESSES),
  };
}
