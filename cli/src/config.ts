import { join, resolve } from 'node:path';
import { keyPlaces, type AdaptersConfig } from '@rollcall/adapters';
import { envSchema } from 'env-schema';
import { Type, type Static } from 'typebox';

const Environment = Type.Object({
  DATA_DIR: Type.String({ default: './data', minLength: 1 }),
  EVENT_LOG: Type.Literal('embedded', { default: 'embedded' }),
  READ_MODELS: Type.Literal('embedded', { default: 'embedded' }),
  STREAM_PREFIX: Type.String({ default: '' }),
  JWT_ISSUER: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_AUDIENCE: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_PUBLIC_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  JWT_PRIVATE_KEY_FILE: Type.Optional(Type.String({ minLength: 1 })),
});

/** What the command line is told by its environment. */
export interface CliConfig {
  readonly adapters: AdaptersConfig;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly publicFolder: string;
  readonly privateFile: string;
  /** The private key's place is the default one: a key that is missing there may be made. */
  readonly ownPrivateKey: boolean;
  /** Where the embedded event log lies. */
  readonly logFolder: string;
}

/** A variable of the environment has a value that cannot be used; the message names it. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
}

function read(env: NodeJS.ProcessEnv): Static<typeof Environment> {
  // A variable that is empty counts as one that is not set.
  const data = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    return envSchema<Static<typeof Environment>>({ schema: Environment, data, env: false });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new ConfigInvalid(text.replace(/^env\//, '').replaceAll(', env/', ', '));
  }
}

/** `ConfigInvalid` where a variable's value is none of those allowed. */
export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  const vars = read(env);
  const dataDir = resolve(vars.DATA_DIR);
  const places = keyPlaces(dataDir);
  return {
    adapters: {
      dataDir,
      eventLog: vars.EVENT_LOG,
      readModels: vars.READ_MODELS,
      streamPrefix: vars.STREAM_PREFIX,
    },
    jwtIssuer: vars.JWT_ISSUER,
    jwtAudience: vars.JWT_AUDIENCE,
    publicFolder: vars.JWT_PUBLIC_KEYS ?? places.publicFolder,
    privateFile: vars.JWT_PRIVATE_KEY_FILE ?? places.privateFile,
    ownPrivateKey: vars.JWT_PRIVATE_KEY_FILE === undefined,
    logFolder: join(dataDir, 'event-log'),
  };
}
