import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { rollcallWithin } from './rollcall.js';

tap.test('processes with data folders of their own share no private key', async (t) => {
  const folder = t.testdir({ own: {}, keys: {} });
  const own = join(folder, 'own');
  const rollcall = rollcallWithin(own, { SHARED_KEYS: join(folder, 'keys') });
  await rollcall('company configure --company 7');
  await rollcall('user add --company 7 --name HR');
  t.match(await rollcall('token issue --user 1'), { code: 0 });
  t.strictSame(readdirSync(join(folder, 'keys')).sort(), ['digest.key', 'public']);
  t.strictSame(readdirSync(join(own, 'keys')), ['private.pem']);

  mkdirSync(join(own, 'keys', 'public'));
  writeFileSync(join(own, 'keys', 'public', 'old.pem'), 'of the time before the keys were shared');
  const copy = join(folder, 'copy');
  t.match(await rollcall(`backup --to ${copy}`), { code: 0, err: '' });
  t.strictSame(readdirSync(join(copy, 'keys')).sort(), ['digest.key', 'private.pem', 'public']);
  t.match(await rollcallWithin('')(`restore --from ${copy} --data-dir ${join(folder, 'new')}`), { code: 0 });
  t.match(
    await rollcallWithin(join(folder, 'new'))('token issue --user 1'),
    { code: 0 },
    'with all its keys',
  );
});
