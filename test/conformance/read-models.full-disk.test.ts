import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbeddedReadModels } from '@rollcall/adapters';
import t from 'tap';
import { testCollections } from './read-models.adapters.js';
import { indexed, keys, put, read, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

const CHILD = fileURLToPath(new URL('./read-models.full-disk.child.js', import.meta.url));
/** In blocks of 512 or 1,024 bytes, as the shell counts. */
const LIMIT = 'ulimit -f 8000 && exec "$0" "$@"';

t.test('a full disk is an outage: nothing is torn, and the process lives', async (t) => {
  const folder = t.testdir();
  const { stdout } = await promisify(execFile)('sh', ['-c', LIMIT, process.execPath, CHILD, folder]);
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
