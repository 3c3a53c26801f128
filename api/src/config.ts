import { commonConfig, processAddresses, readServerVariables, type CommonConfig } from '@rollcall/host';
import { keyPaths } from '@rollcall/adapters';
import { isIPv4 } from 'node:net';
import { defaultTimeouts, type ApiConfig } from './deps.js';

export interface ServerConfig extends CommonConfig {
  readonly host: string;
  readonly port: number;
  readonly publicKeyFolder: string;
  readonly api: ApiConfig;
}

/** `ConfigInvalid` names each bad variable. */
export function readServerConfig(env: NodeJS.ProcessEnv): ServerConfig {
  const vars = readServerVariables(env);
  const common = commonConfig(vars);
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

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
