import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { exactly } from '@rollcall/employee-lists/testing';
import tap, { type Test } from 'tap';
import { askProcesses } from './ask-processes.js';

async function processAt(t: Test, host: string, port = 0, more: object = {}): Promise<number> {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ Status: 'ok', Problems: [], Version: '0.1.0', ...more })),
  ).listen(port, host);
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

tap.test('every process behind a name is asked, and each that is not well is named', async (t) => {
  const port = await processAt(t, '127.0.0.1');
  await processAt(t, '127.0.0.2', port, { Status: 'degraded' });
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
  t.match(processes, exactly([{ address: `http://api:${port}`, status: 'ok' }]));
  t.strictSame(needsPerson, []);
});

tap.test('a name that nobody knows', async (t) => {
  const unknown = () => Promise.reject(new Error('ENOTFOUND'));
  const { needsPerson } = await askProcesses({}, ['http://api:3000'], unknown);
  t.strictSame(needsPerson, ['http://api:3000: no answer: ENOTFOUND.']);
});

tap.test('a name whose server does not answer keeps nobody waiting', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const asked = askProcesses({}, ['http://api:3000'], () => new Promise(() => undefined));
  mock.timers.tick(2_000);
  t.strictSame((await asked).needsPerson, ['http://api:3000: no answer: ENOTFOUND.']);
});

tap.test('what a process answers moves no cursor of a terminal', async (t) => {
  const more = {
    Status: 'degraded',
    Problems: ['\u001b[2Jall\nwell'],
    Version: '1\u0007',
    Commit: '\u009b1mabc',
  };
  const port = await processAt(t, '127.0.0.1', 0, more);
  const address = `http://127.0.0.1:${port}`;
  const { processes, needsPerson } = await askProcesses({}, [address]);
  const [problem, version, commit] = [
    String.raw`\u{1b}[2Jall\u{a}well`,
    String.raw`1\u{7}`,
    String.raw`\u{9b}1mabc`,
  ];
  t.strictSame(processes, [{ address, status: 'degraded', version, commit, problems: [problem] }]);
  t.strictSame(needsPerson, [`${address}: degraded: ${problem}.`]);
});
