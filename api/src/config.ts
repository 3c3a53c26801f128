import { resolve } from 'node:path';
import { keyPlaces, type AdaptersConfig } from '@rollcall/adapters';
import { envSchema } from 'env-schema';
import { Type, type Static } from 'typebox';
import { defaultTimeouts, type ApiConfig } from './deps.js';

const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: values[0] });
const mebibyte = 1024 * 1024;

/** The environment of the api (docs/contract, "Names that scripts rely on"). */
const Environment = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65_535 }),
  DATA_DIR: Type.String({ default: './data', minLength: 1 }),
  LOG_LEVEL: oneOf('info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'),
  EVENT_LOG: oneOf('embedded'),
  READ_MODELS: oneOf('embedded'),
  STREAM_PREFIX: Type.String({ default: '' }),
  JWT_ISSUER: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_AUDIENCE: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_ALGORITHM: oneOf('EdDSA', 'ES256', 'RS256', 'PS256'),
  JWT_PUBLIC_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  BODY_LIMIT: Type.Integer({ default: mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  EMPLOYEE_BODY_LIMIT: Type.Integer({ default: 256 * mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({ default: 6000, minimum: 0 }),
});

/** What a process that runs the api is told by its environment. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly adapters: AdaptersConfig;
  /** Where the installation's own keys lie. */
  readonly keyFolder: string;
  /** Where the keys lie with which tokens are checked. */
  readonly publicKeyFolder: string;
  readonly api: ApiConfig;
}

/** A variable of the environment has a value that cannot be used; the message names it, in one line. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
}

/** Reads the environment; an empty variable counts as one that is not set. `ConfigInvalid` names each bad one. */
export function readServerConfig(env: NodeJS.ProcessEnv): ServerConfig {
  const vars = readEnvironment(env);
  const dataDir = resolve(vars.DATA_DIR);
  const places = keyPlaces(dataDir);
  return {
    host: vars.HOST,
    port: vars.PORT,
    logLevel: vars.LOG_LEVEL,
    adapters: {
      dataDir,
      eventLog: vars.EVENT_LOG,
      readModels: vars.READ_MODELS,
      streamPrefix: vars.STREAM_PREFIX,
    },
    keyFolder: places.folder,
    publicKeyFolder: vars.JWT_PUBLIC_KEYS ?? places.publicFolder,
    api: {
      jwtIssuer: vars.JWT_ISSUER,
      jwtAudience: vars.JWT_AUDIENCE,
      jwtAlgorithm: vars.JWT_ALGORITHM,
      bodyLimit: vars.BODY_LIMIT,
      employeeBodyLimit: vars.EMPLOYEE_BODY_LIMIT,
      rateLimitPerMinute: vars.RATE_LIMIT_PER_MINUTE,
      timeouts: defaultTimeouts,
    },
  };
}

function readEnvironment(env: NodeJS.ProcessEnv): Static<typeof Environment> {
  const data = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    return envSchema<Static<typeof Environment>>({ schema: Environment, data, env: false });
  } catch (error) {
    throw new ConfigInvalid(problemsOf(error).join('; '));
  }
}

interface SchemaProblem {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: { readonly allowedValues?: readonly string[] };
}

function problemsOf(error: unknown): string[] {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors))
    return [String(error)];
  return (error.errors as readonly SchemaProblem[]).map(
    ({ instancePath, message = 'is not valid', params }) => {
      const rule = params.allowedValues ? `must be one of ${params.allowedValues.join(', ')}` : message;
      return `${instancePath.slice(1)} ${rule}`;
    },
  );
}
