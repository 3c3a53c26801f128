import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { rollcallWithin } from '../cli/rollcall.js';
import { until } from '../support/until.js';
import { tokenIn, whileRunning } from './start.js';

const people = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    EmployeeID: `E-${at}`,
    Firstname: 'Bilbo',
    Lastname: 'Baggins',
    Email: `bilbo.${at}@example.com`,
    EmploymentStatus: 1,
    InvitationDate: '9999-12-31T00:00:00Z',
  }));

tap.test('npm start sends an e-mail of a held import, once', { timeout: 120_000 }, async (t) => {
  const dataDir = t.testdir();
  const outbox = join(dataDir, 'outbox');
  const mails = (): string[] => (existsSync(outbox) ? readdirSync(outbox) : []);
  const put = async (address: string, count: number): Promise<number> => {
    const headers = { authorization: `Bearer ${tokenIn(dataDir)}`, 'content-type': 'application/json' };
    const sent = { method: 'PUT', headers, body: JSON.stringify(people(count)) };
    return (await fetch(`${address}/v1.0/Company/1/Employee`, sent)).status;
  };
  await whileRunning(dataDir, async (address) => {
    const limits = '--batch-limit 25 --batch-limit-from 1 --over-limit hold --notify hr@example.com';
    t.match(await rollcallWithin(dataDir)(`company configure --company 1 ${limits}`), { code: 0 });
    t.equal(await put(address, 4), 200);
    t.equal(await put(address, 1), 202);
    await until('it is sent', () => mails().some((name) => name.endsWith('.eml')), { withinMs: 60_000 });
  });
  t.equal(mails().length, 1);
  const text = readFileSync(join(outbox, mails()[0] ?? ''), 'utf8');
  t.match(text, /^To: hr@example\.com\r$/m);
  t.match(text, /^Subject: An employee import of company 1 is held\r$/m);
  t.notMatch(text, /E-\d|bilbo/);
});
