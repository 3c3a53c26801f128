import { readServerConfig } from '@rollcall/api';
import { readWorkerConfig } from '@rollcall/worker';
import t from 'tap';
import { rollcallWithin } from '../cli/rollcall.js';

const unusable = [
  'http://host:99999',
  'http://[::1:3000',
  'http://api:3000:80',
  'http://ops:s3cret@host:x',
  'http://a%zz',
];
const message = (name: string): string => `${name} is no address: its host or its port is not valid`;

t.test('an address that no URL can hold stops the start, and no password is shown', (t) => {
  const readers = {
    ANCHOR_URL: readWorkerConfig,
    OPERATIONS_URL: readServerConfig,
    OTEL_EXPORTER_OTLP_ENDPOINT: readServerConfig,
    PROCESS_ADDRESSES: readServerConfig,
  };
  for (const [name, read] of Object.entries(readers))
    for (const address of unusable.filter((each) => name !== 'OPERATIONS_URL' || !each.includes('@'))) {
      const thrown = { name: 'ConfigInvalid', message: message(name) };
      t.throws(() => read({ [name]: address }), thrown, `${name}=${address}`);
    }
  const later = { PROCESS_ADDRESSES: 'http://api:3000,http://worker:99999' };
  t.throws(() => readServerConfig(later), { message: message('PROCESS_ADDRESSES') });
  t.end();
});

t.test('usable addresses are taken as they are', (t) => {
  const ANCHOR_URL = 'https://ops:s3cret@anchors.example.com/a,b?c';
  t.match(readWorkerConfig({ ANCHOR_URL }), { anchors: { url: ANCHOR_URL } });
  const PROCESS_ADDRESSES = 'http://api:3000,http://[::1]:9464';
  const OPERATIONS_URL = 'https://ops.example.com:8443';
  const config = readServerConfig({
    ...{ PROCESS_ADDRESSES, OPERATIONS_URL, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/v1' },
  });
  t.match(config, { tracing: { endpoint: 'http://otel:4318/v1' }, api: { operationsUrl: OPERATIONS_URL } });
  t.strictSame(config.api.processAddresses, ['http://api:3000', 'http://[::1]:9464']);
  t.strictSame(readServerConfig({}).api.processAddresses, []);
  t.end();
});

t.test('a command names the variable, and ends with 2', async (t) => {
  for (const name of ['PROCESS_ADDRESSES', 'OPERATIONS_URL']) {
    const rollcall = rollcallWithin(t.testdir(), { [name]: 'http://host:99999' });
    t.match(await rollcall('status'), { code: 2, out: '', err: new RegExp(`^${message(name)}\\n?$`) }, name);
  }
});
