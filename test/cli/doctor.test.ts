import { chmodSync, cpSync, existsSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId, systemClock } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { MailServer } from '../servers/mail-server.js';
import { begun, examined, redOf } from './doctor.support.js';
import { people } from '../application/imports.support.js';
import { installation as importsIn } from './imports.support.js';
import { rollcallOn, rollcallWithin } from './rollcall.js';
import { exactly } from '../support/exactly.js';

const names = [
  ...['configuration', 'data folder', 'disk', 'event log', 'read models', 'queue', 'clocks'],
  ...['digest key', 'public keys', 'signing key', 'companies', 'projections', 'imports', 'invitations'],
];

async function installation(t: Test) {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await begun(rollcall);
  return { dataDir, rollcall, keys: join(dataDir, 'keys') };
}

tap.test('an installation that is well: a green line each, exit code 0', async (t) => {
  const { rollcall, dataDir } = await installation(t);
  const { code, err, lines } = await examined(rollcall);
  t.match({ code, err }, { code: 0, err: '' });
  t.strictSame(redOf(lines), []);
  t.strictSame(
    lines.map(({ name }) => name),
    names,
  );
  const shown = await rollcallOn(dataDir)('doctor');
  t.match(shown, { code: 0, err: '' });
  t.strictSame(
    shown.out
      .trimEnd()
      .split('\n')
      .map((line) => /^ok {3}([a-z ]+?) {2,}\S/.exec(line)?.[1]),
    names,
  );
  const coloured = await rollcallWithin(dataDir, {}, { colours: true })('doctor');
  t.ok(coloured.out.startsWith('\u001b[32mok '), 'green on a terminal');
});

tap.test('a check that breaks off is red, and the others go on', async (t) => {
  const { rollcall, dataDir, keys } = await installation(t);
  rmSync(join(keys, 'public'), { recursive: true });
  symlinkSync('public', join(keys, 'public'));
  const { code, lines } = await examined(rollcall);
  t.equal(code, 1);
  t.strictSame(redOf(lines), ['keys']);
  t.match(lines.find(({ name }) => name === 'keys')?.text, /^ELOOP.*public/);
  t.equal(lines.at(-1)?.name, 'invitations');
  symlinkSync('round', join(dataDir, 'round'));
  const hidden = await examined(rollcallWithin(join(dataDir, 'round')));
  t.match(redOf(hidden.lines), exactly(['data folder', 'event log', 'read models', 'queue', 'keys']));
});

tap.test('a copy is red: no process starts on it', async (t) => {
  const { rollcall } = await installation(t);
  const copy = join(t.testdirName, '..', `${newId()}-copy`);
  t.teardown(() => rmSync(copy, { recursive: true }));
  await rollcall(`backup --to ${copy}`);
  const { code, lines } = await examined(rollcallWithin(copy));
  t.equal(code, 1);
  t.strictSame(redOf(lines), ['data folder']);
  t.match(lines[1], { text: `${copy} is a copy: use it with \`rollcall restore\`` });
});

tap.test('where nothing is yet, nothing is made', async (t) => {
  const dataDir = join(t.testdir(), 'nowhere');
  const { code, lines, err } = await examined(rollcallWithin(dataDir));
  t.match({ code, err }, { code: 1, err: /^2 of \d+ checks are red\.\n$/ });
  t.strictSame(redOf(lines), ['data folder', 'public keys']);
  t.notOk(existsSync(dataDir));
});

tap.test('what is wrong is red, alone, and says what to do', async (t) => {
  const isRed = async (
    rollcall: ReturnType<typeof rollcallWithin>,
    name: string,
    text: RegExp,
    advice: RegExp,
  ) => {
    const { code, lines } = await examined(rollcall);
    t.equal(code, 1, name);
    t.strictSame(redOf(lines), [name]);
    t.match(
      lines.find((line) => line.name === name),
      { text, advice },
    );
  };
  const { rollcall, dataDir, keys } = await installation(t);

  await isRed(
    rollcallWithin(dataDir, { EVENT_LOG: 'paper' }),
    'configuration',
    /EVENT_LOG must be/,
    /configuration\.md/,
  );
  await isRed(
    rollcallWithin(dataDir, { METRICS_PORT: 'nine' }),
    'configuration',
    /^METRICS_PORT must be/,
    /configuration\.md/,
  );
  const ofParts = {
    PORT: '99999',
    RATE_LIMIT_PER_MINUTE: '-1',
    BODY_BUDGET: '1',
    WORKER_CONCURRENCY: '0',
    ANCHOR_URL: 'x',
  };
  for (const [name, value] of Object.entries(ofParts))
    await isRed(
      rollcallWithin(dataDir, { [name]: value }),
      'configuration',
      new RegExp(`^${name} must`),
      /configuration\.md/,
    );
  await isRed(
    rollcallWithin(dataDir, { MAILER: 'smtp' }),
    'configuration',
    /^SMTP_URL must be set/,
    /configuration\.md/,
  );

  const hour = 3_600_000;
  const past = rollcallWithin(dataDir, {}, { clock: { now: () => systemClock.now() - hour } });
  await isRed(past, 'clocks', /recorded \d+ min after what this host's clock says/, /NTP/);

  chmodSync(join(keys, 'digest.key'), 0o644);
  await isRed(
    rollcall,
    'rights',
    /digest\.key may be read by every user/,
    /chmod 600 .*never change the key/,
  );
  chmodSync(join(keys, 'digest.key'), 0o600);
  chmodSync(join(keys, 'private.pem'), 0o644);
  await isRed(
    rollcall,
    'rights',
    /private\.pem may be read by every user/,
    /chmod 600 .*, and change the key/,
  );
  chmodSync(join(keys, 'private.pem'), 0o600);
  await isRed(
    rollcallWithin(dataDir, { JWT_ALGORITHM: 'RS256' }),
    'public keys',
    /none for JWT_ALGORITHM RS256 .*no token is accepted/,
    /<kid>\.pem/,
  );

  writeFileSync(join(keys, 'public', 'other.pem'), 'no key');
  const { lines } = await examined(rollcall);
  t.match(redOf(lines), exactly(['public keys', 'signing key']));
  t.match(await rollcall('doctor'), { out: /in PEM form\. Take the file away/ });
  rmSync(join(keys, 'public', 'other.pem'));

  writeFileSync(join(keys, 'digest.key'), Buffer.alloc(32));
  await isRed(rollcall, 'digest key', /is not the key of this event log/, /restore/);
  rmSync(join(keys, 'public'), { recursive: true });
  t.strictSame(redOf((await examined(rollcall)).lines), ['digest key', 'public keys', 'signing key']);

  const copied = `${dataDir}-cut`;
  cpSync(dataDir, copied, { recursive: true });
  t.teardown(() => rmSync(copied, { recursive: true }));
  truncateSync(join(copied, 'event-log', 'data.mdb'), 20_000);
  const { lines: ofCut } = await examined(rollcallWithin(copied));
  t.equal(redOf(ofCut)[0], 'event log');
  t.match(ofCut.find(({ ok }) => !ok)?.text, /data\.mdb .* is cut off/);
});

tap.test('work that waits for too long', async (t) => {
  const on = await importsIn(t);
  const { dataDir } = on;
  await on.rollcall('user add --company 7 --name HR');
  await on.rollcall('token issue --user 1');
  await on.queue(people(3));
  await on.project();
  const late = (minutes: number) =>
    rollcallWithin(dataDir, {}, { clock: { now: () => systemClock.now() + minutes * 60_000 } });
  const importsAfter = async (minutes: number) =>
    (await examined(late(minutes))).lines.find(({ name }) => name === 'imports');
  t.match(await importsAfter(10), { ok: true, text: '1 waiting, the oldest for 10 min' });
  t.match(await importsAfter(20), { ok: false, text: '1 waiting, the oldest for 20 min', advice: /worker/ });
  await on.rollcall('company configure --company 8');
  const { lines } = await examined(late(1));
  t.strictSame(redOf(lines), ['projections'], 'an event that nobody projects');
  t.match(lines.find(({ ok }) => !ok)?.text, /the read models are \d+ s behind the event log/);
});

tap.test('the mail server', async (t) => {
  const { dataDir } = await installation(t);
  const mail = await MailServer.start();
  const env = {
    MAILER: 'smtp',
    SMTP_URL: mail.url,
    INVITATION_SENDER: 'hr@example.com',
    INVITATION_URL: 'https://surveys.example.com',
  };
  const rollcall = rollcallWithin(dataDir, env);
  t.strictSame(redOf((await examined(rollcall)).lines), []);
  await mail.close();
  const { lines, code } = await examined(rollcall);
  t.equal(code, 1);
  t.strictSame(redOf(lines), ['mail server']);
  t.match(lines.find(({ ok }) => !ok)?.text, /\(ECONNREFUSED\)/);
});
