import type { Mail, Mailer } from '@rollcall/application';
import PostalMime from 'postal-mime';
import t, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';

export interface MailerUnderTest {
  readonly mailer: Mailer;
  /** What was handed over so far, as it stands in the outbox or came to the server. */
  readonly messages: () => Promise<readonly string[]>;
}

export interface Conformance {
  readonly adapter: string;
  readonly open: (t: Test) => Promise<MailerUnderTest>;
}

const mail = (changes: Partial<Mail> = {}): Mail => ({
  from: { name: 'Acme', address: 'surveys@example.com' },
  to: { name: 'Astrid Holm', address: 'astrid.holm@example.com' },
  subject: 'A short survey for you',
  text: 'Hello Astrid,\n\nhttps://surveys.example.com/?token=abc\n',
  html: '<p>Hello Astrid</p>',
  messageId: 'aaaa-bbbb@example.com',
  date: Date.parse('2026-11-23T07:00:05Z'),
  ...changes,
});

/** The rules of the mailer's port, for any adapter. */
export function mailerConformance({ adapter, open }: Conformance): void {
  t.test(`${adapter}: a message arrives as it was given`, async (t) => {
    const { mailer, messages } = await open(t);
    const outcome = await mailer.send(mail());
    t.equal(outcome.outcome, 'sent');
    const [raw = '', ...more] = await messages();
    t.same(more, []);
    const { from, to, subject, text, html, messageId, date } = await PostalMime.parse(raw);
    t.match(from, { name: 'Acme', address: 'surveys@example.com' });
    t.match(to, exactly([{ name: 'Astrid Holm', address: 'astrid.holm@example.com' }]));
    t.match(
      { subject, messageId },
      { subject: 'A short survey for you', messageId: '<aaaa-bbbb@example.com>' },
    );
    t.match(text, /^Hello Astrid,\r?\n\r?\nhttps:\/\/surveys\.example\.com\/\?token=abc/);
    t.match(html, /<p>Hello Astrid<\/p>/);
    t.equal(date, '2026-11-23T07:00:05.000Z');
    t.match(raw, /^Auto-Submitted: auto-generated\r?$/m);
  });

  t.test(`${adapter}: letters of every script, long lines and leading dots`, async (t) => {
    const { mailer, messages } = await open(t);
    const text = `Kære Ólafur Þórsson, 美咲さん, Олена\n.\n..dots\n${'long '.repeat(500)}end`;
    const subject = 'Spørgeskema: 美咲 — ' + 'æ'.repeat(120);
    const to = { name: '田中 美咲 "Miki", Tokyo', address: 'misaki@example.com' };
    await mailer.send(mail({ text, subject, to }));
    const [raw = ''] = await messages();
    const parsed = await PostalMime.parse(raw);
    t.equal(parsed.text?.replaceAll('\r\n', '\n').trimEnd(), text);
    t.equal(parsed.subject, subject);
    t.match(parsed.to, exactly([to]));
    t.ok(
      raw.split(/\r?\n/).every((line) => Buffer.byteLength(line) <= 998),
      'no line is too long',
    );
  });

  t.test(`${adapter}: no name and no subject makes a header or a recipient`, async (t) => {
    const { mailer, messages } = await open(t);
    const evil = [
      'Astrid\r\nBcc: victim@example.com',
      'Astrid\nBcc: victim@example.com\n\nbody',
      'Astrid\rBcc: victim@example.com',
      'Astrid\u2028Bcc: victim@example.com\u0085X-Evil: 1',
      '"Astrid" <victim@example.com>, ',
      'a@example.com, victim@example.com',
      'Astrid\\" <victim@example.com>;',
      '=?utf-8?Q?Astrid=0D=0ABcc:_victim@example.com?=',
      '=?utf-8?B?DQpCY2M6IHZpY3RpbUBleGFtcGxlLmNvbQ==?=',
      'group: victim@example.com;',
      '(comment) <victim@example.com>',
      '\0\u0007Astrid\x1b',
      `${'x'.repeat(2_000)}\r\nBcc: victim@example.com`,
    ];
    for (const [index, name] of evil.entries()) {
      const messageId = `evil-${index}@example.com`;
      const to = { name, address: 'astrid.holm@example.com' };
      const from = { name, address: 'surveys@example.com' };
      t.equal((await mailer.send(mail({ to, from, subject: name, messageId }))).outcome, 'sent');
    }
    const all = await messages();
    t.equal(all.length, evil.length);
    for (const raw of all) {
      const parsed = await PostalMime.parse(raw);
      const names = parsed.headers.map(({ key }) => key).sort();
      t.strictSame(names, [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ]);
      t.strictSame(
        [parsed.from?.address, ...(parsed.to ?? []).map(({ address }) => address)],
        ['surveys@example.com', 'astrid.holm@example.com'],
      );
    }
  });

  t.test(`${adapter}: an encoded word that was typed is read back as it was typed`, async (t) => {
    const { mailer, messages } = await open(t);
    const typed = [
      '=?utf-8?Q?The_bank?=',
      'Astrid =?utf-8?B?VGhlIGJhbms=?= Holm',
      '=?UTF-8?q?=C3=A6?= 美咲 =?',
      `=?utf-8?Q?${'x'.repeat(60)}?= ${'long '.repeat(40)}end`,
    ];
    for (const [index, name] of typed.entries()) {
      const to = { name, address: 'astrid.holm@example.com' };
      const from = { name, address: 'surveys@example.com' };
      await mailer.send(mail({ to, from, subject: name, messageId: `typed-${index}@example.com` }));
    }
    const read = await Promise.all((await messages()).map((raw) => PostalMime.parse(raw)));
    t.strictSame(new Set(read.map(({ subject }) => subject)), new Set(typed));
    t.strictSame(new Set(read.map(({ from }) => from?.name)), new Set(typed));
    t.strictSame(new Set(read.map(({ to }) => to?.[0]?.name)), new Set(typed));
  });

  t.test(`${adapter}: what is no address is sent to nobody`, async (t) => {
    const { mailer, messages } = await open(t);
    const bad = [
      'astrid@example.com\r\nBcc: victim@example.com',
      'astrid@example.com\n',
      '\nastrid@example.com',
      'astrid@example.com, victim@example.com',
      'astrid@example.com> RCPT TO:<victim@example.com',
      '<astrid@example.com>',
      'Astrid <astrid@example.com>',
      'astrid',
      'astrid@[x@example.com]',
      'a b@example.com',
      '',
    ];
    for (const address of bad) {
      const to = { name: 'Astrid', address };
      t.match(
        await mailer.send(mail({ to })),
        { outcome: 'failed', code: 'bad-address' },
        JSON.stringify(address),
      );
      const from = { name: 'Acme', address };
      t.match(await mailer.send(mail({ from })), { outcome: 'failed', code: 'bad-sender' });
    }
    t.same(await messages(), []);
  });

  t.test(`${adapter}: a Message-ID that is none is a bug of the caller`, async (t) => {
    const { mailer, messages } = await open(t);
    for (const messageId of ['a', 'a@b>\r\nBcc: c', '../../a@example.com', 'a/b@example.com', '.@/'])
      await t.rejects(mailer.send(mail({ messageId })), TypeError, messageId);
    t.same(await messages(), []);
  });

  t.test(`${adapter}: what may not leave any more does not`, async (t) => {
    const { mailer, messages } = await open(t);
    t.same(await mailer.send(mail(), { mayLeave: () => false }), { outcome: 'withheld' });
    t.same(await messages(), []);
    t.equal((await mailer.send(mail(), { mayLeave: () => true })).outcome, 'sent');
  });

  t.test(`${adapter}: a hundred at once`, async (t) => {
    const { mailer, messages } = await open(t);
    const ids = Array.from({ length: 100 }, (_, index) => `m-${index}@example.com`);
    const outcomes = await Promise.all(ids.map((messageId) => mailer.send(mail({ messageId }))));
    t.ok(outcomes.every(({ outcome }) => outcome === 'sent'));
    const got = await Promise.all((await messages()).map((raw) => PostalMime.parse(raw)));
    t.strictSame(got.map(({ messageId }) => messageId).sort(), ids.map((id) => `<${id}>`).sort());
  });
}

export { mail as exampleMail };
