import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import tap from 'tap';
import { exactly } from '../support/exactly.js';
import { installation } from './imports.support.js';
import { objectOf, rollcallWithin } from './rollcall.js';

const add =
  'webhook add --company 7 --url https://hr.example.com/hook --events import.completed,import.failed';

tap.test('a webhook is added, listed, rotated and removed', async (t) => {
  const { rollcall } = await installation(t);
  const added = objectOf(await rollcall(`${add} --json`));
  t.match(added, { companyId: 7, webhookId: 1, secret: /^whsec_[A-Za-z0-9+/]{43}=$/ });
  t.match(await rollcall(add), { code: 0, out: /^Webhook 2 .*import.completed, import.failed\.\n.*whsec_/ });
  t.match(
    (await rollcall('webhook list --company 7')).out,
    /1 +active +https:\/\/hr.example.com\/hook +import/,
  );
  const rotated = objectOf(await rollcall('webhook rotate --company 7 --webhook 1 --json'));
  t.match(rotated, { secret: /^whsec_/, previousUntil: /Z$/ });
  t.not(rotated['secret'], added['secret']);
  const again = await rollcall('webhook rotate --company 7 --webhook 1');
  t.match(again.out, /the one before until .*Z or the next rotation$/m);
  t.match(await rollcall('webhook remove --company 7 --webhook 1 --reason moved'), {
    code: 0,
    out: /is removed/,
  });
  t.match(objectOf(await rollcall('webhook list --company 7 --json')), {
    webhooks: exactly([{ webhookId: 2, status: 'active' }]),
  });
  t.match((await rollcall('webhook deliveries --company 7')).out, /^time +webhook +outcome/);
});

tap.test('what is wrong is refused in words', async (t) => {
  const { rollcall } = await installation(t);
  t.match(await rollcall(add.replace('https://', 'https://a:b@')), {
    code: 2,
    err: /no user and no password/,
  });
  t.match(await rollcall(add.replace('import.failed', 'import.failure')), {
    code: 2,
    err: /some of import.completed/,
  });
  t.match(await rollcall('webhook remove --company 7 --webhook 3'), { code: 1, err: /no such webhook/ });
  t.match(await rollcall('webhook list --company 8'), { code: 1, err: /not configured/ });
  const run = rollcallWithin(t.testdir(), { WEBHOOK_NETWORKS: '10.0.0.0/99' });
  t.match(await run('webhook list --company 7'), { code: 2, err: /WEBHOOK_NETWORKS must be/ });
});

tap.test('a test message is sent at once, and only where it may be', async (t) => {
  const { dataDir, rollcall } = await installation(t);
  const seen: { body: string; headers: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ body, headers: request.headers as Record<string, string> });
      response.writeHead(seen.length === 1 ? 200 : 500).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { secret } = objectOf(
    await rollcall(`webhook add --company 7 --url ${url} --events import.held --json`),
  );
  const test = 'webhook test --company 7 --webhook 1';
  t.match(await rollcall(test), { code: 1, err: /did not accept the message: the address is private/ });
  const run = rollcallWithin(dataDir, { WEBHOOK_NETWORKS: '127.0.0.1' });
  t.match(await run(test), { code: 0, out: /accepted/ });
  const [{ body, headers } = { body: '', headers: {} }] = seen;
  t.match(new Webhook(String(secret)).verify(body, headers), {
    type: 'webhook.test',
    data: { companyId: 7, webhookId: 1 },
  });
  t.match(await run(test), { code: 1, err: /answered 500/ });
  await run('webhook rotate --company 7 --webhook 1');
  await run(test);
  t.match(seen[2]?.headers['webhook-signature'], /^v1,\S+ v1,\S+$/, 'as real messages, with both secrets');
});

tap.test('the address of e-mails is shown by the company, and masked elsewhere', async (t) => {
  const { rollcall } = await installation(t);
  const on = await rollcall('company configure --company 7 --notify hr@example.com');
  t.match(on, { out: /is configured.* notify +hr@example\.com$/ms });
  t.match((await rollcall('company show --company 7')).out, /^ +notify +hr@example\.com$/m);
  t.match((await rollcall('webhook list --company 7')).out, /mailto:h\*\*\*@example\.com/);
  t.notMatch((await rollcall('audit log --company 7')).out, 'hr@');
  for (const command of ['test', 'rotate'])
    t.match(
      (await rollcall(`webhook ${command} --company 7 --webhook 1`)).err,
      /no such webhook, or it sends e-mails: see/,
    );
  t.match(await rollcall('company configure --company 7 --notify off'), { out: /configured.* notify +off/s });
});
