import { join, resolve } from 'node:path';
import {
  adaptersConfig,
  adapterVariables,
  keyPlaces,
  readEnvironment,
  type AdaptersConfig,
} from '@rollcall/adapters';
import { Type } from 'typebox';

/** The variables of the command line (docs/configuration.md, "Variables"). */
export const cliVariables = {
  ...adapterVariables,
  JWT_ISSUER: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_AUDIENCE: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_PUBLIC_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  JWT_PRIVATE_KEY_FILE: Type.Optional(Type.String({ minLength: 1 })),
};

const Environment = Type.Object(cliVariables);

/** What the command line is told by its environment. */
export interface CliConfig {
  readonly adapters: AdaptersConfig;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly publicFolder: string;
  readonly privateFile: string;
  /** Where the installation's own keys lie. */
  readonly keyFolder: string;
  /** The private key's place is the default one: a key that is missing there may be made. */
  readonly ownPrivateKey: boolean;
  /** Where the embedded event log lies. */
  readonly logFolder: string;
}

/** `ConfigInvalid` where a variable's value is none of those allowed. */
export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  const vars = readEnvironment(Environment, env);
  const adapters = adaptersConfig(vars);
  const places = keyPlaces(adapters.dataDir, vars.SHARED_KEYS && resolve(vars.SHARED_KEYS));
  return {
    adapters,
    jwtIssuer: vars.JWT_ISSUER,
    jwtAudience: vars.JWT_AUDIENCE,
    publicFolder: vars.JWT_PUBLIC_KEYS ?? places.publicFolder,
    keyFolder: places.folder,
    privateFile: vars.JWT_PRIVATE_KEY_FILE ?? places.privateFile,
    ownPrivateKey: vars.JWT_PRIVATE_KEY_FILE === undefined,
    logFolder: join(adapters.dataDir, 'event-log'),
  };
}
