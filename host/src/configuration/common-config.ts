import { resolve } from 'node:path';
import { callTerm, type CallTerm, callTermPattern, readModelsVersion } from '@rollcall/application/read';
import { Type, type Static, type TObject, type TProperties } from 'typebox';
import {
  connectionStringProblem,
  keyPaths,
  type AdaptersConfig,
  type EventLogChoice,
  type QueueChoice,
  type ReadModelsChoice,
  checkNatsPrefix,
  parseNatsUrl,
  ConfigInvalid,
} from '@rollcall/adapters';
import type { MetricsAddress } from '../metrics/metrics-server.js';
import type { TracingConfig } from '../tracing/tracing.js';
import { oneOf, requiredFor } from './environment.js';

const dayMs = 24 * 60 * 60_000;

/** Where an installation keeps its data: for every process and the command line. */
export const adapterVariables = {
  DATA_DIR: Type.String({ default: './data', minLength: 1 }),
  SHARED_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  EVENT_LOG: oneOf('embedded', 'eventstoredb'),
  EVENTSTOREDB_URL: Type.Optional(Type.String()),
  EVENTSTOREDB_URL_FILE: Type.Optional(Type.String()),
  READ_MODELS: oneOf('embedded', 'mongodb'),
  MONGODB_URL: Type.Optional(Type.String()),
  MONGODB_URL_FILE: Type.Optional(Type.String()),
  QUEUE: oneOf('embedded', 'nats'),
  NATS_URL: Type.Optional(Type.String()),
  NATS_URL_FILE: Type.Optional(Type.String()),
  NATS_REPLICAS: Type.Integer({ default: 1, minimum: 1, maximum: 5 }),
  // EventStoreDB reserves names that begin with `$`.
  STREAM_PREFIX: Type.String({ default: '', pattern: '^(?!\\$)[\\x21-\\x7e]{0,100}$' }),
  KEEP_CALLS: Type.String({ default: '400d', pattern: callTermPattern }),
};

/** The variables of every process (docs/configuration.md, "Variables"). */
export const commonVariables = {
  ...adapterVariables,
  VERIFY_EVERY: Type.String({ default: '7d', pattern: '^(off|[1-9]\\d{0,3}d)$' }),
  LOG_LEVEL: oneOf('info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'),
  METRICS_HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://[^/]' })),
  OTEL_SERVICE_NAME: Type.String({ default: 'rollcall', minLength: 1 }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ default: 1, minimum: 0, maximum: 1 }),
};

type Values<V extends TProperties> = Static<TObject<V>>;
type AdapterVariables = Values<typeof adapterVariables>;

export interface CommonConfig {
  readonly logLevel: string;
  readonly adapters: AdaptersConfig;
  /** Keys that all processes of the installation share. */
  readonly keyFolder: string;
  readonly ownKeyFolder: string;
  readonly metricsServer: MetricsAddress | undefined;
  readonly tracing: TracingConfig | undefined;
  readonly callTerm: CallTerm;
  /** How long one verification of the whole log takes (ms); Infinity: none. */
  readonly verifyEveryMs: number;
}

type Choices<C extends { readonly kind: string }> = {
  readonly [K in C['kind']]: (vars: AdapterVariables) => Extract<C, { kind: K }>;
};

const eventLogs: Choices<EventLogChoice> = {
  embedded: () => ({ kind: 'embedded' }),
  eventstoredb: (vars) => {
    const connectionString = requiredFor('EVENT_LOG=eventstoredb', 'EVENTSTOREDB_URL', vars.EVENTSTOREDB_URL);
    const problem = connectionStringProblem(connectionString);
    if (problem !== undefined)
      throw new ConfigInvalid(`EVENTSTOREDB_URL is no connection string: ${problem}`);
    return { kind: 'eventstoredb', connectionString };
  },
};
const readModels: Choices<ReadModelsChoice> = {
  embedded: () => ({ kind: 'embedded' }),
  mongodb: (vars) => {
    const url = requiredFor('READ_MODELS=mongodb', 'MONGODB_URL', vars.MONGODB_URL);
    if (!/^mongodb(?:\+srv)?:\/\/[^/]/.test(url))
      throw new ConfigInvalid('MONGODB_URL must begin with mongodb:// or mongodb+srv:// and a host');
    return { kind: 'mongodb', url };
  },
};
const queues: Choices<QueueChoice> = {
  embedded: () => ({ kind: 'embedded' }),
  nats: (vars) => {
    const url = requiredFor('QUEUE=nats', 'NATS_URL', vars.NATS_URL);
    parseNatsUrl(url);
    checkNatsPrefix(vars.STREAM_PREFIX);
    return { kind: 'nats', url, replicas: vars.NATS_REPLICAS };
  },
};

/** `ConfigInvalid` where a chosen adapter lacks its server's address. */
export const adaptersConfig = (vars: AdapterVariables): AdaptersConfig => ({
  dataDir: resolve(vars.DATA_DIR),
  eventLog: eventLogs[vars.EVENT_LOG](vars),
  readModels: readModels[vars.READ_MODELS](vars),
  queue: queues[vars.QUEUE](vars),
  streamPrefix: vars.STREAM_PREFIX,
  projections: readModelsVersion,
});

function tracingConfig(vars: Values<typeof commonVariables>): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = vars;
  return endpoint === undefined ? undefined : { endpoint, serviceName, ratio: vars.OTEL_TRACES_SAMPLER_ARG };
}

export function commonConfig(vars: Values<typeof commonVariables>): CommonConfig {
  const adapters = adaptersConfig(vars);
  const { METRICS_HOST: host, METRICS_PORT: port } = vars;
  const places = keyPaths(adapters.dataDir, vars.SHARED_KEYS && resolve(vars.SHARED_KEYS));
  return {
    logLevel: vars.LOG_LEVEL,
    adapters,
    keyFolder: places.folder,
    ownKeyFolder: places.ownFolder,
    metricsServer: port === undefined ? undefined : { host, port },
    tracing: tracingConfig(vars),
    callTerm: callTerm(vars.KEEP_CALLS),
    verifyEveryMs: vars.VERIFY_EVERY === 'off' ? Infinity : Number.parseInt(vars.VERIFY_EVERY) * dayMs,
  };
}
