import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap from 'tap';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';
import { command } from './command.js';
import { followDockerfile } from './folder-image.js';

const timeout = 900_000;
tap.setTimeout(timeout);

tap.test('the Dockerfile, followed into a folder without an engine', { timeout }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-folder-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const image = await followDockerfile(folder);
  const rollcall = join(image.folder, 'usr/local/bin/rollcall');
  t.match(await command([rollcall, '--version'], { cwd: folder }), /^0\.1\.0$/m);
  const installed = await command(['ls', join(image.folder, 'rollcall/node_modules')]);
  t.notMatch(
    installed,
    /^(esbuild|tap|typescript|openapi-fetch|smtp-server)$/m,
    'nothing of the tests is installed',
  );

  const [, ...args] = image.cmd;
  const env = { ...process.env, ...image.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(folder, 'data') };
  const program = new Program(args, { cwd: join(image.folder, image.workdir), env });
  t.teardown(() => program.kill());
  const url = await program.says(/http:\/\/127\.0\.0\.1:\d+/);
  // It says where it listens while its first thread still opens.
  await until('it is ready', async () => (await fetch(`${url}/health/ready`)).status === 200);
  t.equal(await program.stop(), 0);
});
