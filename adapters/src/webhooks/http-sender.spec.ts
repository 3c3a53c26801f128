import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import tap, { type Test } from 'tap';
import { isAllowed, isListed, type Networks, parseNetworks } from './addresses.js';
import { openWebhookSender, sparingThreads, type WebhookSenderOptions } from './http-sender.js';

function networks(list: string): Networks {
  const found = parseNetworks(list);
  if (!found) throw new Error(list);
  return found;
}
const loopback = { allowed: networks('127.0.0.1') };
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function serverWith(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const sendTo = (url: string, options: WebhookSenderOptions = loopback, secrets = [secret]) =>
  openWebhookSender(options).send({ url, id: 'msg-1', body: '{"type":"x"}', timestamp: Date.now(), secrets });

tap.test('a message is signed as Standard Webhooks says, with each secret', async (t) => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const url = await serverWith(t, (request, response) => {
    void text(request).then((body) => {
      seen.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  t.same(await sendTo(url, loopback, [secret, other]), { accepted: true });
  const [{ headers, body } = { headers: {}, body: '' }] = seen;
  for (const each of [secret, other])
    t.same(new Webhook(each).verify(body, headers as Record<string, string>), { type: 'x' });
  t.throws(() => new Webhook('whsec_AAAA').verify(body, headers as Record<string, string>));
});

tap.test('what is no 2xx is not accepted, and redirects are not followed', async (t) => {
  let followed = 0;
  const url = await serverWith(t, (request, response) => {
    if (request.url === '/elsewhere') followed += 1;
    if (request.url === '/hook') response.writeHead(307, { location: '/elsewhere' }).end('moved');
    else response.writeHead(500).end('a secret');
  });
  t.same(await sendTo(url), { accepted: false, problem: 'answered 307' });
  t.same(await sendTo(`${url}/x`), { accepted: false, problem: 'answered 500' });
  t.equal(followed, 0);
});

const unrecognizedName = Buffer.from([0x15, 3, 3, 0, 2, 2, 112]);

tap.test('a receiver that hangs, or is not there', async (t) => {
  const url = await serverWith(t, () => undefined);
  t.same(await sendTo(url, { ...loopback, timeoutMs: 50 }), {
    accepted: false,
    problem: 'no answer in time',
  });
  t.same(await sendTo('http://127.0.0.1:1/'), { accepted: false, problem: 'ECONNREFUSED' });
  const withoutTls = { problem: /^it refuses TLS, or has none of version 1\.2/ };
  t.match(await sendTo(url.replace('http:', 'https:')), withoutTls);
  // Its alert says that it has no certificate for the name.
  const refusing = createTcpServer((socket) => void socket.once('data', () => socket.end(unrecognizedName)));
  t.teardown(() => refusing.close());
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  t.match(await sendTo(`https://127.0.0.1:${(refusing.address() as AddressInfo).port}/`), withoutTls);
});

tap.test('private, loopback and link-local addresses are refused, also behind a name', async (t) => {
  let reached = 0;
  const url = await serverWith(t, (_, response) => {
    reached += 1;
    response.end();
  });
  const { port } = new URL(url);
  const none = { allowed: networks('') };
  const lookup = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])) as unknown as NonNullable<
    WebhookSenderOptions['lookup']
  >;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
    t.match(
      await sendTo(`http://${host}:${port}/`, none),
      { accepted: false, problem: /private, loopback/ },
      host,
    );
  t.match(
    await sendTo(`http://public.example.com:${port}/`, { ...none, lookup }),
    { problem: /private/ },
    'rebinding',
  );
  t.equal(reached, 0);
  t.same(
    await sendTo(`http://public.example.com:${port}/`, { ...loopback, lookup }),
    { accepted: true },
    'allowed',
  );
  t.match(await sendTo('http://203.0.114.1/', none), { problem: /use https/ }, 'no TLS');
});

tap.test('of names whose servers do not answer one at a time is looked up as all others are', async (t) => {
  const codes: Readonly<Record<string, string>> = { a: 'ETIMEOUT', b: 'ESERVFAIL', c: 'ENOTFOUND' };
  const waiting: (() => void)[] = [];
  const find = sparingThreads(
    (name, done) => done(name in codes ? Object.assign(new Error(name), { code: codes[name] }) : null),
    (name, _options, done) => void waiting.push(() => done(null, [{ address: name, family: 4 }])),
  );
  const ended: (string | undefined)[] = [];
  const look = (name: string): void =>
    find(name, { all: true }, (error, [found]) => ended.push(error?.code ?? found?.address));
  for (const name of ['a', 'b', 'c', 'known']) look(name);
  t.same(ended, ['ESERVFAIL'], 'while one waits, another is refused');
  for (const answer of waiting.splice(0)) answer();
  t.same(ended, ['ESERVFAIL', 'a', 'c', 'known'], 'a name that only a file of this host knows is found');
  look('b');
  for (const answer of waiting.splice(0)) answer();
  t.equal(ended.at(-1), 'b', 'the next one has its turn');
});

tap.test('networks', async (t) => {
  for (const address of [
    '10.0.0.1',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fd00::1',
    'fe80::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '::ffff:0:7f00:1',
    '0:0:0:0:0:ffff:7f00:1',
  ])
    t.notOk(isAllowed(address, networks('')), address);
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'])
    t.ok(isAllowed(address, networks('')), address);
  t.ok(isAllowed('10.1.2.3', networks('10.1.0.0/16, fd00::/8')));
  t.notOk(isAllowed('10.2.2.3', networks('10.1.0.0/16, fd00::/8')));
  t.ok(isAllowed('fd00::7', networks('10.1.0.0/16, fd00::/8')));
  for (const [address, list] of [
    ['::1', '::/0'],
    ['::127.0.0.1', '::/96'],
    ['::ffff:10.0.0.1', '10.0.0.0/8'],
    ['64:ff9b::a00:1', '10.0.0.0/8'],
    ['10.0.0.1', '0.0.0.0/0'],
  ] as const)
    t.ok(isListed(address, networks(list)), `${address} in ${list}`);
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'])
    t.notOk(isAllowed(address, networks('::/0')), `${address} in ::/0`);
  for (const wrong of ['10.0.0.0/33', 'x', '10.0.0/8', '::/129', '10.0.0.0/-1', '10.0.0.0/a'])
    t.equal(parseNetworks(wrong), undefined, wrong);
  for (const wrong of [
    '10.1.0.0/',
    'fd00::/',
    '10.1.0.0/ ',
    '10.1.0.0/ ,::1',
    '10.1.0.0/16/8',
    '10.1.0.0/1e1',
  ])
    t.equal(parseNetworks(wrong), undefined, wrong);
});
