import tap from 'tap';
import { openNatsQueue } from '@rollcall/adapters';
import { connectTo, skipWithoutOwnNats as skip } from '../conformance/queue.nats.support.js';
import { NatsServer } from '../servers/nats-server.js';
import { until } from '../support/until.js';
import { tokenIn, start } from './start.js';

tap.test('health of npm start names the full stream of invitations', { skip, timeout: 90_000 }, async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  await (await openNatsQueue({ url: server.url })).close();
  const { jsm } = await connectTo(t, server.url);
  const { config } = await jsm.streams.info('rollcall-invitations');
  await jsm.streams.update(config.name, { ...config, max_bytes: 1 });
  const dataDir = t.testdir();
  const { address, child, ended } = start(dataDir, {
    QUEUE: 'nats',
    NATS_URL: server.url,
    METRICS_PORT: '0',
  });
  t.teardown(() => (child.signal('SIGTERM'), ended));
  const [metrics = ''] = /http:[^ ]+(?=\/metrics)/.exec(await child.says(/Metrics are on .*\n/)) ?? [];
  const at = await address;
  const headers = { authorization: `Bearer ${tokenIn(dataDir)}`, 'content-type': 'application/json' };
  const employee = { EmployeeID: 'E-1', Firstname: 'Bilbo', Lastname: 'Baggins', Email: 'bilbo@example.com' };
  const body = JSON.stringify([{ ...employee, EmploymentStatus: 1, InvitationDate: '2026-01-01T00:00:00Z' }]);
  t.equal((await fetch(`${at}/v1.0/Company/1/Employee`, { method: 'PUT', headers, body })).status, 200);
  const health = async (): Promise<string> => {
    const answers = [await fetch(`${metrics}/health/ready`), await fetch(`${at}/health/ready`)];
    return (await Promise.all(answers.map(async (each) => `${each.status} ${await each.text()}`))).join('\n');
  };
  const named = /200 .*invitations: The stream .* is full.*\n200 .*invitations: The stream .* is full/;
  const isNamed = async (): Promise<boolean> => named.test(await health());
  await until('health names it at both addresses', isNamed, { withinMs: 20_000 });
  t.match(await health(), /^(?:(?!is full).)*is full(?!.*is full).*\n/, 'once');
  await jsm.streams.update(config.name, config);
  await until('there is room', async () => /"ok".*\n.*"ok"/.test(await health()), { withinMs: 20_000 });
});
