import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { openSmtpMailer, type SmtpMailerOptions } from '@rollcall/adapters';
import type { SMTPServerOptions } from 'smtp-server';
import t, { type Test } from 'tap';
import { freePort } from '../servers/free-port.js';
import { MailServer, type MailBehaviour } from '../servers/mail-server.js';
import { exampleMail, mailerConformance } from './mailer.suite.js';

async function open(t: Test, options: Partial<SmtpMailerOptions> = {}, rules?: SMTPServerOptions) {
  const server = await MailServer.start(rules);
  t.teardown(() => server.close());
  const mailer = openSmtpMailer({ url: server.url, ...options });
  t.teardown(() => mailer.close());
  return { server, mailer, messages: async () => server.delivered.map(({ raw }) => raw) };
}

mailerConformance({ adapter: 'smtp', open });

t.test('smtp: what the server says decides what becomes of the message', async (t) => {
  const { server, mailer } = await open(t);
  const said: [MailBehaviour, object][] = [
    [{ kind: 'accept' }, { outcome: 'sent', response: /^250 / }],
    [
      { kind: 'refuse', code: 451, at: 'RCPT' },
      { outcome: 'deferred', code: '451' },
    ],
    [
      { kind: 'refuse', code: 421, at: 'DATA' },
      { outcome: 'deferred', code: '421' },
    ],
    [
      { kind: 'refuse', code: 452, at: 'DATA' },
      { outcome: 'deferred', code: '452' },
    ],
    [
      { kind: 'refuse', code: 550, at: 'RCPT' },
      { outcome: 'failed', code: '550' },
    ],
    [
      { kind: 'refuse', code: 554, at: 'DATA' },
      { outcome: 'failed', code: '554' },
    ],
    [
      { kind: 'refuse', code: 503, at: 'RCPT' },
      { outcome: 'deferred', code: '503' },
    ],
    [
      { kind: 'drop', accepted: false },
      { outcome: 'deferred', code: /^E/ },
    ],
    [
      { kind: 'slow', ms: 50 },
      { outcome: 'sent', response: /accepted late/ },
    ],
    [{ kind: 'accept' }, { outcome: 'sent' }],
  ];
  for (const [behaviour, outcome] of said) {
    server.behave = () => behaviour;
    t.match(await mailer.send(exampleMail()), outcome, JSON.stringify(behaviour));
  }
  t.equal(server.delivered.length, 3);
});

t.test(
  'smtp: a server without SMTPUTF8 that does not understand a recipient fails the message',
  async (t) => {
    for (const hidePIPELINING of [false, true]) {
      const { server, mailer } = await open(t, {}, { hideSMTPUTF8: true, hidePIPELINING });
      server.behave = () => ({ kind: 'refuse', code: 500, at: 'RCPT', text: '5.5.2 bad UTF-8 syntax' });
      const to = (address: string) => exampleMail({ to: { name: '', address } });
      t.match(await mailer.send(to('bjørn@example.com')), { outcome: 'failed', code: '500' });
      for (const address of ['bjorn@example.com', 'bjorn@bjørn.example.com'])
        t.match(await mailer.send(to(address)), { outcome: 'deferred', code: '500' }, address);
    }
  },
);

t.test('smtp: an answer without a code refuses nothing for good', async (t) => {
  for (const [at, code] of [
    ['RCPT', 'EENVELOPE'],
    ['.', 'EMESSAGE'],
  ] as const) {
    const server = createServer((socket) => {
      t.teardown(() => socket.destroy());
      socket.write('220 mail.example.com\r\n');
      createInterface(socket).on('line', (line) => {
        if (line.startsWith(at)) socket.write('hello\r\n');
        else if (line.startsWith('DATA')) socket.write('354 go on\r\n');
        else if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const mailer = openSmtpMailer({ url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` });
    t.match(await mailer.send(exampleMail()), { outcome: 'deferred', code });
    await mailer.close();
    server.close();
  }
});

t.test('smtp: no address is told of in an outcome', async (t) => {
  const { server, mailer } = await open(t);
  const text = '5.1.1 <astrid.holm@example.com>: no such user astrid.holm@example.com here';
  server.behave = () => ({ kind: 'refuse', code: 550, at: 'RCPT', text });
  const outcome = await mailer.send(exampleMail());
  t.match(outcome, { outcome: 'failed', code: '550', problem: /no such user/ });
  t.notMatch(JSON.stringify(outcome), /astrid/);
});

t.test('smtp: an answer that is lost is not known; nothing is sent again by itself', async (t) => {
  const { server, mailer } = await open(t);
  await mailer.send(exampleMail({ messageId: 'first@example.com' }));
  server.behave = () => ({ kind: 'drop', accepted: true });
  t.match(await mailer.send(exampleMail()), { outcome: 'deferred' });
  t.equal(server.delivered.length, 2);
});

t.test('smtp: a server that is away, or answers too late, defers', async (t) => {
  const away = openSmtpMailer({ url: `smtp://127.0.0.1:${await freePort()}` });
  t.teardown(() => away.close());
  t.match(await away.send(exampleMail()), { outcome: 'deferred', code: /^E/ });
  const { server, mailer } = await open(t, { timeouts: { totalMs: 200 } });
  server.behave = () => ({ kind: 'slow', ms: 60_000 });
  t.match(await mailer.send(exampleMail()), { outcome: 'deferred', code: 'EABORT' });
});

t.test('smtp: a message may be held back until the server asks for it', async (t) => {
  const { server, mailer } = await open(t);
  let late = false;
  server.onRecipient = () => (late = true);
  t.same(await mailer.send(exampleMail(), { mayLeave: () => !late }), { outcome: 'withheld' });
  t.same(server.delivered, []);
  server.onRecipient = () => undefined;
  late = false;
  t.equal((await mailer.send(exampleMail(), { mayLeave: () => !late })).outcome, 'sent');
});

t.test('smtp: a log-in that is refused is no fault of the message', async (t) => {
  const server = await MailServer.start({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (auth, _session, callback) => {
      if (auth.password === 'right') callback(null, { user: 'rollcall' });
      else callback(new Error('Invalid username or password'));
    },
  });
  t.teardown(() => server.close());
  const without = openSmtpMailer({ url: server.url });
  t.teardown(() => without.close());
  t.match(await without.send(exampleMail()), { outcome: 'deferred', code: '530' }, 'MAIL FROM is refused');
  const url = (password: string) => `smtp://rollcall:${password}@127.0.0.1:${server.port}`;
  for (const [password, outcome] of [
    ['wrong', { outcome: 'deferred', code: '535' }],
    ['right', { outcome: 'sent' }],
  ] as const) {
    const mailer = openSmtpMailer({ url: url(password) });
    t.match(await mailer.send(exampleMail()), outcome, password);
    await mailer.close();
  }
});

t.test('smtp: TLS, and a certificate that nobody vouches for', async (t) => {
  const file = (name: string) => readFileSync(new URL(`../../servers/tls/server.${name}`, import.meta.url));
  const server = await MailServer.start({ secure: true, key: file('key'), cert: file('crt') });
  t.teardown(() => server.close());
  const mailer = openSmtpMailer({ url: `smtps://localhost:${server.port}` });
  t.teardown(() => mailer.close());
  const untrusted = { outcome: 'deferred', code: 'DEPTH_ZERO_SELF_SIGNED_CERT', problem: /or trusted/ };
  t.match(await mailer.send(exampleMail()), untrusted);
  const trusting = openSmtpMailer({ url: `smtps://localhost:${server.port}?tls.rejectUnauthorized=false` });
  t.teardown(() => trusting.close());
  t.equal((await trusting.send(exampleMail())).outcome, 'sent');
});
