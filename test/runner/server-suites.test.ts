import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, serverSuites } from './test-files.js';

t.test('every suite that needs servers is known to the runner', async (t) => {
  const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.servers.test.ts') && !file.startsWith('node_modules'),
  );
  t.ok(sources.length > 0);
  t.strictSame(
    serverSuites().toSorted(),
    sources.map((file) => join('test/dist', file.replace(/\.ts$/, '.js'))).toSorted(),
  );
});

t.test('npm run test:servers hands the runner names that it finds', async (t) => {
  const env = { ...process.env, NATS_URL: 'nats://unused', MONGODB_URL: 'mongodb://unused' };
  // The runner finds the files, and then leaves all of them out.
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'test/dist/servers/run.js'), '--without=test/'],
    { env, encoding: 'utf8' },
  );
  t.equal(stderr, '');
  t.match(stdout, /^0 files in/m);
});
