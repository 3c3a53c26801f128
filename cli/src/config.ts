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
import { anchorKeyPaths, keyPaths } from '@rollcall/adapters';
import { callTerm } from '@rollcall/application';
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

export type CliConfig = Readonly<ReturnType<typeof readConfig>>;

export function readConfig(env: NodeJS.ProcessEnv) {
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
    /** The default path: a missing private key may be created. */
    ownPrivateKey: vars.JWT_PRIVATE_KEY_FILE === undefined,
    callTerm: callTerm(vars.KEEP_CALLS),
    logFolder: join(adapters.dataDir, 'event-log'),
    webhookNetworks: webhookNetworks(vars),
    operationsUrl: vars.OPERATIONS_URL ?? `http://127.0.0.1:${withoutBlank(env)['PORT'] ?? '3000'}`,
    processAddresses: processAddresses(vars.PROCESS_ADDRESSES),
  };
}
