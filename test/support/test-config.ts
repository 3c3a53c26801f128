import { defaultTimeouts, type ApiConfig, type Timeouts } from '@rollcall/api';

export interface TestConfigOptions {
  readonly config?: Partial<Omit<ApiConfig, 'timeouts'>>;
  readonly timeouts?: Partial<Timeouts>;
}

/** The environment that gives a process such a configuration. */
export const environmentOf = (config: ApiConfig): Record<string, string> => ({
  LOG_LEVEL: 'silent',
  JWT_ISSUER: config.jwtIssuer,
  JWT_AUDIENCE: config.jwtAudience,
  JWT_ALGORITHM: config.jwtAlgorithm,
  BODY_LIMIT: String(config.bodyLimit),
  EMPLOYEE_BODY_LIMIT: String(config.employeeBodyLimit),
  MANAGER_BODY_LIMIT: String(config.managerBodyLimit),
  QUEUE_BODY_BYTES: String(config.queueBodyBytes),
  BODY_BUDGET: String(config.bodyBudget),
  RATE_LIMIT_PER_MINUTE: String(config.rateLimitPerMinute),
  ...(config.operationsUrl && { OPERATIONS_URL: config.operationsUrl }),
});

/** As production has it by default, without a rate limit. */
export const testConfig = (options: TestConfigOptions): ApiConfig => ({
  jwtIssuer: 'rollcall',
  jwtAudience: 'rollcall',
  jwtAlgorithm: 'EdDSA',
  bodyLimit: 1024 * 1024,
  employeeBodyLimit: 256 * 1024 * 1024,
  managerBodyLimit: 16 * 1024 * 1024,
  queueBodyBytes: 8 * 1024 * 1024,
  bodyBudget: 512 * 1024 * 1024,
  servesMetrics: true,
  rateLimitPerMinute: 0,
  operationsUrl: undefined,
  processAddresses: [],
  ...options.config,
  timeouts: { ...defaultTimeouts, ...options.timeouts },
});
