import { newId, operatorKey, OperatorSessions, readOperatorLink, systemClock } from '@rollcall/application';
import { readKeys } from '@rollcall/adapters';
import { join } from 'node:path';
import tap from 'tap';
import { installation } from './imports.support.js';
import { objectOf, rollcallWithin } from './rollcall.js';

const command = 'operator link --name Ada --role Operator --company';

tap.test('a link is printed alone, and names who it is for', async (t) => {
  const { dataDir, rollcall } = await installation(t);
  const printed = await rollcall(`${command} 7`);
  t.match(printed, { code: 0, err: /Ada, Operator of company 7: once, until / });
  t.match(printed.out, /^http:\/\/127\.0\.0\.1:3000\/operations\/sign-in\/[\w.-]+\n$/);
  const keys = await readKeys({ folder: join(dataDir, 'keys') });
  const token = printed.out.trim().split('/').at(-1) ?? '';
  const link = readOperatorLink(operatorKey(keys?.digestKey ?? new Uint8Array()), token, Date.now());
  t.match(link, { operator: { name: 'Ada', role: 'Operator', companyId: 7 } });
  const blank = rollcallWithin(dataDir, { PORT: ' ' });
  t.match((await blank(`${command} 7`)).out, /^http:\/\/127\.0\.0\.1:3000\/operations/, 'blank is not set');
  const all = objectOf(await rollcall(`${command.replace('Operator', 'Auditor')} all --json`));
  t.match(all, { role: 'Auditor', companyId: null, url: /^http/ });
});

tap.test('sessions are revoked by name', async (t) => {
  const { adapters, rollcall } = await installation(t);
  const deps = { log: adapters.log, clock: systemClock, key: new Uint8Array(32), newId, randomId: newId };
  const operator = { name: 'Ada', role: 'Operator', companyId: 7 } as const;
  await new OperatorSessions(deps).signIn({ linkId: newId(), operator, expiresAt: 0 });
  const revoke = 'operator revoke --name Ada';
  t.match(await rollcall(`${revoke} --reason stolen`), { code: 0, out: /^1 session of Ada ended/ });
  t.strictSame(objectOf(await rollcall(`${revoke} --json`)), { name: 'Ada', sessions: 0 });
});

tap.test('a link for nobody is refused', async (t) => {
  const { rollcall } = await installation(t);
  t.match(await rollcall(`${command} 8`), { code: 1, err: /not configured/ });
  t.match(await rollcall(`${command} some`), { code: 2, err: /integer/ });
  t.match(await rollcall('operator link --name Ada --role Boss --company 7'), { code: 2, err: /Operator/ });
  t.match(await rollcall('operator link --role Auditor --company 7'), { code: 2, err: /--name/ });
});
