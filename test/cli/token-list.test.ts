import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { objectOf, rollcallWithin } from './rollcall.js';

const day = 86_400_000;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

tap.test('tokens are listed by id, with what became of them, and never themselves', async (t) => {
  const dataDir = t.testdir();
  const begun = Date.parse('2026-11-21T08:00:00Z');
  const rollcall = rollcallWithin(dataDir, {}, { clock: { now: () => begun } });
  const later = rollcallWithin(dataDir, {}, { clock: { now: () => begun + 40 * day } });
  t.match(await rollcall('token list'), { code: 1, err: /There is no data/ });

  for (const company of [7, 8]) await rollcall(`company configure --company ${company}`);
  for (const company of [7, 7, 8]) await rollcall(`user add --company ${company} --name HR`);
  t.match(await rollcall('token list'), {
    code: 0,
    out: 'token  state  user  company  expires  key\n',
    err: '',
  });

  t.match(await rollcall('token issue --user 9'), { code: 1, err: 'There is no API user 9.\n' });
  t.notOk(existsSync(join(dataDir, 'keys', 'private.pem')), 'and no key is made for nobody');
  const issue = async (user: number, expires: string): Promise<Record<string, unknown>> =>
    objectOf(await rollcall(`token issue --user ${user} --expires ${expires} --json`));
  const long = await issue(1, '365d');
  const short = await issue(1, '30d');
  const revoked = await issue(1, '365d');
  const ofRevokedUser = await issue(2, '365d');
  const other = await issue(3, '365d');
  await rollcall(`token revoke --jti ${text(revoked['jti'])}`);
  await rollcall('user revoke --user 2');
  await rollcall('token revoke --jti from-elsewhere');

  const states = async (words: string): Promise<unknown> => {
    const { tokens } = objectOf(await later(`token list ${words} --json`));
    return (tokens as { jti: string; state: string }[]).map(({ jti, state }) => `${jti} ${state}`);
  };
  const ofFirst = [
    `${text(long['jti'])} valid`,
    `${text(short['jti'])} expired`,
    `${text(revoked['jti'])} revoked`,
  ];
  const ofSeven = [...ofFirst, `${text(ofRevokedUser['jti'])} revoked`];
  const all = [...ofSeven, `${text(other['jti'])} valid`, 'from-elsewhere revoked'];
  t.strictSame(await states(''), all);
  t.strictSame(await states('--company 7'), ofSeven);
  t.strictSame(await states('--user 1'), ofFirst);
  t.strictSame(await states('--company 8 --user 1'), []);

  const users = (await later('user list --company 7')).out;
  t.match(users.split('\n')[1], /^1 +active +none +1 +HR$/, 'neither an expired nor a revoked token counts');
  const shown = await later('token list');
  const [head = '', ...lines] = shown.out.trimEnd().split('\n');
  t.match(head, /^token +state +user +company +expires +key$/);
  t.match(
    lines[0],
    new RegExp(`^${text(long['jti'])} +valid +1 +7 +2027-11-21T08:00:00.000Z +[0-9a-f]{16}$`),
  );
  t.match(lines.at(-1), /^from-elsewhere +revoked +not from here$/);
  const both = `${shown.out}${(await later('token list --json')).out}`;
  for (const { token } of [long, short, revoked, ofRevokedUser, other]) {
    t.match(text(token), /^[\w-]+\.[\w-]+\.[\w-]+$/);
    for (const part of text(token).split('.')) t.notOk(both.includes(part), 'no part of a token is shown');
  }
  t.match(await rollcall('token list --user 9'), { code: 1, out: '', err: 'There is no API user 9.\n' });
});

tap.test('a public key that was removed, as after a leak, does not come back by itself', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  await rollcall('user add --company 7 --name HR --role HRIntegration');
  await rollcall('token issue --user 1');
  const publicFolder = join(dataDir, 'keys', 'public');
  const privateFile = join(dataDir, 'keys', 'private.pem');
  const [leaked] = readdirSync(publicFolder);
  rmSync(join(publicFolder, String(leaked)));
  const refusal = /public half .* put it there .*, or replace the private key/;
  t.match(await rollcall('token issue --user 1'), { code: 1, out: '', err: refusal });
  t.strictSame(readdirSync(publicFolder), []);
  renameSync(privateFile, `${privateFile}.leaked`);
  t.match(await rollcall('token issue --user 1'), { code: 0 });
  t.equal(readdirSync(publicFolder).filter((name) => name !== leaked).length, 1, 'of a new key');
});
