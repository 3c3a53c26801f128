import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbeddedReadModels } from '@rollcall/adapters';
import t from 'tap';
import { testCollections } from './read-models.adapters.js';
import { indexed, keys, put, read, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

const CHILD = fileURLToPath(new URL('./read-models.full-disk.child.js', import.meta.url));
/** In blocks of 512 or 1,024 bytes, as the shell counts. */
const limit = (blocks: number): string => `ulimit -f ${blocks} && exec "$0" "$@"`;

t.test('a full disk is an outage: nothing is torn, and the process lives', async (t) => {
  const folder = t.testdir();
  const { stdout } = await promisify(execFile)('sh', ['-c', limit(8000), process.execPath, CHILD, folder]);
  const told = JSON.parse(stdout) as { events: number; documents: number; problem: string };
  t.ok(told.documents >= 1_000, `${told.documents} documents`);
  t.equal(told.documents, 1_000 * told.events);
  t.match(told.problem, /^The read models in .+ failed: E[A-Z]+$/, 'the outage has its place and its code');
  const store = writable(await openEmbeddedReadModels({ folder, collections: testCollections }));
  t.teardown(() => store.close());
  t.equal((await keys(store, { prefix: [] }, 'dated')).length, told.documents);
  t.equal((await indexed(store, { prefix: [] }, 'size')).length, told.documents);
  await write(store, put([999_999], { n: 1 }));
  t.strictSame(await read(store, [999_999]), { n: 1 }, 'with room again it goes on');
});

const ADAPTERS = import.meta.resolve('@rollcall/adapters');
const OPEN = `
  process.on('SIGXFSZ', () => undefined);
  const { openEmbeddedReadModels } = await import('${ADAPTERS}');
  const store = await openEmbeddedReadModels({ folder: process.argv[1], clock: { now: () => 7_200_000 } });
  const value = await (await store.liveGeneration()).get('companies', [7]);
  console.log(String(value), (await store.generations()).map(({ status }) => status).join());
  await store.close();`;

t.test('a full disk keeps the read models readable while a leftover cannot be removed', async (t) => {
  const folder = t.testdir();
  const open = (ms: number) => openEmbeddedReadModels({ folder, clock: { now: () => ms } });
  const before = await open(0);
  const live = await before.newGeneration();
  await live.write([[put([7], { n: 7 }, { collection: 'companies' })]]);
  await live.switchTo();
  const abandoned = Array.from({ length: 3_000 }, (_, n) =>
    put([n], { text: 'x'.repeat(500) }, { collection: 'companies' }),
  );
  await (await before.newGeneration()).write([abandoned]);
  await before.close();
  const blocks = Math.floor(statSync(join(folder, 'data.mdb')).size / 1_024);
  const program = [process.execPath, '--input-type=module', '-e', OPEN, folder];
  const { stdout } = await promisify(execFile)('sh', ['-c', limit(blocks), ...program]);
  t.match(stdout, /^\{"n":7\} live/);
  const after = await open(7_200_000);
  t.teardown(() => after.close());
  t.same(
    (await after.generations()).map(({ status }) => status),
    ['live'],
    'with room again it is removed',
  );
});
