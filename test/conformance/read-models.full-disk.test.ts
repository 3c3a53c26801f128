import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbeddedReadModels } from '@rollcall/adapters';
import t from 'tap';
import { keys, read, write, put } from './read-models.support.js';

const CHILD = fileURLToPath(new URL('./read-models.full-disk.child.js', import.meta.url));
/** In blocks of 512 or 1,024 bytes, as the shell counts. */
const LIMIT = 'ulimit -f 8000 && exec "$0" "$@"';

t.test('a full disk is an outage: nothing is torn, and the process lives', async (t) => {
  const folder = t.testdir();
  const { stdout } = await promisify(execFile)('sh', ['-c', LIMIT, process.execPath, CHILD, folder]);
  const told = JSON.parse(stdout) as { position: string; documents: number };
  t.ok(told.documents >= 1_000, `${told.documents} documents`);
  t.equal(told.documents, 1_000 * Number(told.position));
  const store = await openEmbeddedReadModels({ folder });
  t.teardown(() => store.close());
  t.equal(String((await store.progress()).position), told.position);
  t.equal((await keys(store, { prefix: [] })).length, told.documents);
  await write(store, put([999_999], { n: 1 }));
  t.strictSame(await read(store, [999_999]), { n: 1 }, 'with room again it goes on');
});
