import { ConfigInvalid } from '@rollcall/adapters';
import { readWorkerConfig } from '@rollcall/worker';

import t from 'tap';

const smtp = {
  MAILER: 'smtp',
  SMTP_URL: 'smtps://rollcall:secret@mail.example.com:465',
  INVITATION_SENDER: '"Acme, Surveys" <surveys@example.com>',
  INVITATION_URL: 'https://surveys.example.com/start',
};

t.test('an empty environment writes into the outbox', (t) => {
  t.match(readWorkerConfig({ MAILER: '' }).invitations, {
    mailer: { kind: 'file' },
    sender: { name: 'Rollcall', address: 'invitations@rollcall.invalid' },
    linkUrl: /^https:/,
    rate: { total: 20, perCompany: 10 },
  });
  t.end();
});

t.test('a mail server may be named where the outbox is chosen', (t) => {
  t.match(readWorkerConfig({ ...smtp, MAILER: 'file' }).invitations, { mailer: { kind: 'file' } });
  t.end();
});

t.test('a blank variable is not set: no number is 0 by it', (t) => {
  const blank = { WORKER_CONCURRENCY: ' ', METRICS_PORT: ' ', LOG_LEVEL: '\t', ANCHOR_FILE: ' ' };
  t.strictSame(readWorkerConfig(blank), readWorkerConfig({}));
  t.end();
});

t.test('a mail server', (t) => {
  t.match(readWorkerConfig({ ...smtp, INVITATION_RATE: '50' }).invitations, {
    mailer: { kind: 'smtp', url: smtp.SMTP_URL, connections: 5 },
    sender: { name: 'Acme, Surveys', address: 'surveys@example.com' },
    linkUrl: smtp.INVITATION_URL,
    rate: { total: 50, perCompany: 50 },
  });
  t.end();
});

t.test('a wrong or missing value stops with one line that names the variable and never its value', (t) => {
  const bad: [Record<string, string>, RegExp][] = [
    [{ MAILER: 'pigeon' }, /^MAILER must be one of file, smtp$/],
    [{ SMTP_URL: '' }, /^SMTP_URL must be set for MAILER=smtp$/],
    [{ SMTP_URL: 'secret' }, /^SMTP_URL is no URL$/],
    [{ SMTP_URL: 'http://secret@mail.example.com' }, /^SMTP_URL must begin with smtp:\/\/ or smtps:\/\/$/],
    [{ SMTP_URL: 'smtp:' }, /^SMTP_URL must name a host$/],
    [{ SMTP_CONNECTIONS: '0' }, /^SMTP_CONNECTIONS must be >= 1$/],
    [{ INVITATION_SENDER: '' }, /^INVITATION_SENDER must be set for MAILER=smtp$/],
    [{ INVITATION_SENDER: 'Acme' }, /^INVITATION_SENDER must be an e-mail address, or Name <address>$/],
    [{ INVITATION_SENDER: 'Acme\r\nBcc: x <a@example.com>' }, /^INVITATION_SENDER must be [^\n]*$/],
    [{ INVITATION_URL: '' }, /^INVITATION_URL must be set for MAILER=smtp$/],
    [{ INVITATION_URL: 'surveys.example.com' }, /^INVITATION_URL must be an http or https URL$/],
    [{ INVITATION_URL: 'javascript:alert(1)' }, /^INVITATION_URL must be an http or https URL$/],
    [{ INVITATION_RATE: 'fast' }, /^INVITATION_RATE must be TOTAL or TOTAL\/PER_COMPANY, [^\n]*$/],
    [{ INVITATION_RATE: '5/10' }, /^INVITATION_RATE must be /],
    [{ INVITATION_RATE: '20/0' }, /^INVITATION_RATE must be /],
    [{ INVITATION_RATE: '-1' }, /^INVITATION_RATE must be /],
  ];
  for (const [changes, message] of bad) {
    const env = { ...smtp, ...changes };
    t.throws(() => readWorkerConfig(env), { message }, JSON.stringify(changes));
    t.throws(() => readWorkerConfig(env), ConfigInvalid);
    t.throws(() => readWorkerConfig(env), { message: /^(?!.*secret)/ });
  }
  t.end();
});
