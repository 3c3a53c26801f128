import { readServerConfig } from '@rollcall/api';
import { readWorkerConfig } from '@rollcall/worker';
import t from 'tap';

type Reader = (env: NodeJS.ProcessEnv) => unknown;

interface Bounds {
  readonly name: string;
  readonly taken: readonly string[];
  readonly refused: readonly string[];
  readonly read?: Reader;
  readonly more?: Readonly<Record<string, string>>;
}

const gibibyte = 1024 ** 3;
const more = { BODY_BUDGET: String(4 * gibibyte) };
const bodyLimits = ['BODY_LIMIT', 'EMPLOYEE_BODY_LIMIT', 'MANAGER_BODY_LIMIT', 'QUEUE_BODY_BYTES'].map(
  (name) => ({ name, more, taken: ['1', String(gibibyte)], refused: ['0', String(gibibyte + 1)] }),
);

const table: readonly Bounds[] = [
  ...bodyLimits,
  { name: 'STREAM_PREFIX', taken: ['a$', 'x'.repeat(100)], refused: ['$a', 'a b', 'x'.repeat(101)] },
  {
    name: 'VERIFY_EVERY',
    taken: ['off', '1d', '9999d'],
    refused: ['0d', '7', '7h', '10000d', 'on', 'x1d', '1dx'],
  },
  { name: 'METRICS_PORT', taken: ['0', '65535'], refused: ['-1', '65536'] },
  { name: 'OTEL_TRACES_SAMPLER_ARG', taken: ['0', '0.5', '1'], refused: ['-0.01', '1.01'] },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    taken: ['http://otel:4318', 'https://otel/x'],
    refused: ['otel:4318', 'ftp://otel', 'http:///otel', 'x http://otel'],
  },
  {
    name: 'OPERATIONS_URL',
    taken: ['http://ops', 'https://ops:8443'],
    refused: ['ops', 'https://ops/', 'https://ops?x', 'https://ops#x', 'https://ada@ops', 'https://o ps'],
  },
  {
    name: 'PROCESS_ADDRESSES',
    taken: ['http://a', 'http://a:1,https://b:2'],
    refused: ['a', 'http://a,b', 'http://a,http://b/x', 'http://a,', ',http://a', 'http://a http://b'],
  },
  { name: 'SMTP_CONNECTIONS', taken: ['1', '100'], refused: ['0', '101'], read: readWorkerConfig },
  { name: 'WORKER_CONCURRENCY', taken: ['1', '64'], refused: ['0', '65'], read: readWorkerConfig },
  {
    name: 'INVITATION_URL',
    taken: ['http://a/?x={token}', 'https://a'],
    refused: ['https://a/b c', 'https://a/<b', 'https://a/b>', 'https://a/"', 'https://a/\nb', 'ftp://a'],
    read: readWorkerConfig,
  },
];

t.test('each variable takes what is within its bounds, and nothing beyond', (t) => {
  for (const { name, taken, refused, read = readServerConfig, more = {} } of table) {
    for (const value of taken) t.ok(read({ ...more, [name]: value }), `${name}=${value}`);
    for (const value of refused) {
      const thrown = { name: 'ConfigInvalid', message: new RegExp(`^${name} must (?:be|match) `) };
      t.throws(() => read({ ...more, [name]: value }), thrown, `${name}=${value}`);
    }
  }
  t.end();
});

t.test('the address of the metrics, and the folder of the public keys', (t) => {
  const metrics = { METRICS_PORT: '9464' };
  for (const read of [readServerConfig, readWorkerConfig]) {
    t.strictSame(read(metrics).metricsServer, { host: '127.0.0.1', port: 9464 });
    t.strictSame(read({ ...metrics, METRICS_HOST: '0.0.0.0' }).metricsServer, {
      host: '0.0.0.0',
      port: 9464,
    });
  }
  t.equal(readServerConfig({ METRICS_HOST: '0.0.0.0' }).metricsServer, undefined);
  t.equal(readServerConfig({ JWT_PUBLIC_KEYS: '/etc/rollcall/keys' }).publicKeyFolder, '/etc/rollcall/keys');
  t.end();
});
