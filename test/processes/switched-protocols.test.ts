import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { openWebhookSender, parseNetworks } from '@rollcall/adapters';
import { askProcesses } from '@rollcall/host';
import tap, { type Test } from 'tap';

/** Answers 101, which the caller has not asked for. */
async function switchingServer(t: Test): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'));
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

tap.test('a receiver that switches protocols holds nothing up', async (t) => {
  const url = `${await switchingServer(t)}/`;
  const allowed = parseNetworks('127.0.0.1');
  if (!allowed) throw new TypeError('127.0.0.1 is no network');
  const message = { id: 'msg-1', body: '{"type":"x"}', timestamp: Date.now() };
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] as const;
  t.same(await openWebhookSender({ allowed }).send({ url, ...message, secrets }), {
    accepted: false,
    problem: 'closed without an answer',
  });
});

tap.test('what switches protocols is no process', async (t) => {
  const address = await switchingServer(t);
  const { needsPerson } = await askProcesses({}, [address]);
  t.strictSame(needsPerson, [`${address}: no answer: it is no process of Rollcall.`]);
});
