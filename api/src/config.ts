import {
  commonConfig,
  commonVariables,
  oneOf,
  pageVariables,
  processAddresses,
  readEnvironment,
  type CommonConfig,
} from '@rollcall/host';
import { ConfigInvalid, keyPaths } from '@rollcall/adapters';
import { defaultQueueBodyBytes } from '@rollcall/domain';
import { isIPv4 } from 'node:net';
import { Type, type Static } from 'typebox';
import { defaultTimeouts, type ApiConfig } from './deps.js';

const mebibyte = 1024 * 1024;

/** The variables of a process that runs the api (docs/configuration.md, "Variables"). */
export const serverVariables = {
  ...commonVariables,
  ...pageVariables,
  HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65_535 }),
  JWT_ISSUER: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_AUDIENCE: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_ALGORITHM: oneOf('EdDSA', 'ES256', 'RS256', 'PS256'),
  JWT_PUBLIC_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  BODY_LIMIT: Type.Integer({ default: mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  EMPLOYEE_BODY_LIMIT: Type.Integer({ default: 256 * mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  MANAGER_BODY_LIMIT: Type.Integer({ default: 16 * mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  QUEUE_BODY_BYTES: Type.Integer({ default: defaultQueueBodyBytes, minimum: 1, maximum: 1024 * mebibyte }),
  BODY_BUDGET: Type.Integer({ default: 512 * mebibyte, minimum: 1 }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({ default: 6000, minimum: 0 }),
};

const Environment = Type.Object(serverVariables);

export interface ServerConfig extends CommonConfig {
  readonly host: string;
  readonly port: number;
  readonly publicKeyFolder: string;
  readonly api: ApiConfig;
}

/** `ConfigInvalid` names each bad variable. */
export function readServerConfig(env: NodeJS.ProcessEnv): ServerConfig {
  const vars = readEnvironment(Environment, env);
  const common = commonConfig(vars);
  requireRoomForOne(vars);
  return {
    ...common,
    host: vars.HOST,
    port: vars.PORT,
    publicKeyFolder: vars.JWT_PUBLIC_KEYS ?? keyPaths(common.adapters.dataDir, common.keyFolder).publicFolder,
    api: {
      jwtIssuer: vars.JWT_ISSUER,
      jwtAudience: vars.JWT_AUDIENCE,
      jwtAlgorithm: vars.JWT_ALGORITHM,
      bodyLimit: vars.BODY_LIMIT,
      employeeBodyLimit: vars.EMPLOYEE_BODY_LIMIT,
      managerBodyLimit: vars.MANAGER_BODY_LIMIT,
      queueBodyBytes: vars.QUEUE_BODY_BYTES,
      bodyBudget: vars.BODY_BUDGET,
      rateLimitPerMinute: vars.RATE_LIMIT_PER_MINUTE,
      servesMetrics: common.metricsServer === undefined && isLoopback(vars.HOST),
      operationsUrl: vars.OPERATIONS_URL,
      processAddresses: processAddresses(vars.PROCESS_ADDRESSES),
      timeouts: defaultTimeouts,
    },
  };
}

/** `ConfigInvalid` where one API user's half of the body budget could not hold the largest body. */
function requireRoomForOne(vars: Static<typeof Environment>): void {
  const largest = Math.max(vars.BODY_LIMIT, vars.EMPLOYEE_BODY_LIMIT, vars.MANAGER_BODY_LIMIT);
  if (vars.BODY_BUDGET >= 2 * largest) return;
  throw new ConfigInvalid(
    `BODY_BUDGET must be at least ${2 * largest}, twice the largest of BODY_LIMIT, EMPLOYEE_BODY_LIMIT and MANAGER_BODY_LIMIT`,
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
