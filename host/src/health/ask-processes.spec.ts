import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import tap, { type Test } from 'tap';
import { askProcesses } from './ask-processes.js';

async function processAt(t: Test, host: string, port = 0, Status = 'ok'): Promise<number> {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ Status, Problems: [], Version: '0.1.0' })),
  ).listen(port, host);
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

tap.test('every process behind a name is asked, and each that is not well is named', async (t) => {
  const port = await processAt(t, '127.0.0.1');
  await processAt(t, '127.0.0.2', port, 'degraded');
  const all = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
  const { processes, needsPerson } = await askProcesses({}, [`http://api:${port}`], async () => all);
  t.strictSame(
    processes.map(({ address, status }) => `${address} ${status}`),
    [
      `http://api:${port} (127.0.0.1) ok`,
      `http://api:${port} (127.0.0.2) degraded`,
      `http://api:${port} (127.0.0.3) no answer`,
    ],
  );
  t.equal(needsPerson.length, 2);
});

tap.test('of a name with both families, the one that nobody listens on is no process', async (t) => {
  const port = await processAt(t, '127.0.0.1');
  const both = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const { processes, needsPerson } = await askProcesses({}, [`http://api:${port}`], async () => both);
  t.match(processes, [{ address: `http://api:${port}`, status: 'ok' }]);
  t.strictSame(needsPerson, []);
});

tap.test('a name that nobody knows', async (t) => {
  const unknown = () => Promise.reject(new Error('ENOTFOUND'));
  const { needsPerson } = await askProcesses({}, ['http://api:3000'], unknown);
  t.strictSame(needsPerson, ['http://api:3000: no answer: ENOTFOUND.']);
});
