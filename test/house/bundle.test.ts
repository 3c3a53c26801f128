import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { Program } from '../support/program.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Every entry, each with a line of its own; the real scripts and the real bundler. */
const sources: Readonly<Record<string, string>> = {
  'standalone/src/main.ts': 'export {};\n',
  'standalone/src/projector-thread.ts': 'export {};\n',
  'standalone/src/invitations-thread.ts': 'export {};\n',
  'api/src/main.ts': 'export {};\n',
  'projector/src/main.ts': 'export {};\n',
  'worker/src/main.ts': 'export {};\n',
  'cli/src/main.ts':
    "import { word } from '@rollcall/domain';\nexport {};\nprocess.stdout.write(`${word}\\n`);\n",
  'host/src/import-threads/import-thread.ts': 'export default 1;\n',
  'adapters/src/lmdb-probe.ts': 'export {};\n',
  'cli/src/commands/verify-thread.ts': 'export {};\n',
  'host/src/import-threads/import-thread-entry.cts': "module.exports = import('./import-thread.js');\n",
  'employee-lists/reader/build.js':
    'export const buildReader = () => {};\nexport const readerInputs = () => [];\n',
  'contracts/src/index.ts': 'export {};\n',
  'domain/src/index.ts': "export const word: string = 'one';\n",
  'tsconfig.base.json': '{}',
  'package-lock.json': '{}',
  'package.json': JSON.stringify({ type: 'module' }),
};

function house(root: string) {
  const path = (name: string): string => join(root, name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const [name, text] of Object.entries(sources)) write(name, text);
  mkdirSync(path('node_modules'));
  for (const name of ['esbuild', '@esbuild'])
    symlinkSync(join(repository, 'node_modules', name), path(`node_modules/${name}`));
  for (const name of ['bundle.js', 'rollcall.js'])
    cpSync(join(repository, 'cli/bin', name), path(`cli/bin/${name}`));

  const start = async (): Promise<{ code: unknown; out: string; err: string }> => {
    const child = new Program([path('cli/bin/rollcall.js'), 'start'], { quiet: true });
    const { code, out, err } = await child.ended;
    return { code, out, err };
  };
  return { path, write, start };
}

const saysThatItBuilds = /^Building Rollcall, .*\nBuilt in \d+\.\d s\.\n$/;

tap.test('a first start says that it builds; the next one has nothing to build', async (t) => {
  const { path, start } = house(t.testdir());
  t.match(await start(), { code: 0, out: 'one\n', err: saysThatItBuilds });
  // Without a bundler a build would fail.
  rmSync(path('node_modules'), { recursive: true });
  t.strictSame(await start(), { code: 0, out: 'one\n', err: '' });
});

tap.test('what has changed is built anew, however deep it lies', async (t) => {
  const { write, start } = house(t.testdir());
  await start();
  write('domain/src/index.ts', "export { word } from './word.js';\n");
  write('domain/src/word.ts', "export const word: string = 'two';\n");
  t.match(await start(), { code: 0, out: 'two\n', err: saysThatItBuilds });
  write('domain/src/word.ts', "export const word: string = 'three';\n");
  t.match(await start(), { code: 0, out: 'three\n', err: saysThatItBuilds });
});

tap.test('a file that is gone is missed', async (t) => {
  const { path, start } = house(t.testdir());
  await start();
  rmSync(path('domain/src/index.ts'));
  t.match(await start(), { code: 1, out: '', err: /domain\/src\/index\.ts/ });
});

tap.test('an error names its place, each time until it is mended', async (t) => {
  const { write, start } = house(t.testdir());
  write('domain/src/index.ts', 'export const word = ;\n');
  for (const time of ['first', 'second'])
    t.match(await start(), { code: 1, out: '', err: /domain\/src\/index\.ts:1:20/ }, time);
  write('domain/src/index.ts', "export const word = 'mended';\n");
  t.match(await start(), { code: 0, out: 'mended\n' });
});

tap.test('several first starts at once', async (t) => {
  const { path, start } = house(t.testdir());
  const ended = await Promise.all([start(), start(), start()]);
  for (const { code, out } of ended) t.match({ code, out }, { code: 0, out: 'one\n' });
  // Whoever comes so late that another one has built finds nothing to do.
  const said = ended.map(({ err }) => err).filter((err) => err !== '');
  t.ok(said.length > 0);
  for (const err of said) t.match(err, saysThatItBuilds);
  t.strictSame(
    readdirSync(path('dist')).filter((name) => /\.\d+$/.test(name)),
    [],
  );
});

tap.test('what was built runs where there are no sources and no bundler', async (t) => {
  const { path, start } = house(t.testdir());
  await start();
  for (const name of readdirSync(path('.')))
    if (!['dist', 'cli', 'package.json'].includes(name)) rmSync(path(name), { recursive: true });
  rmSync(path('cli/src'), { recursive: true });
  t.strictSame(await start(), { code: 0, out: 'one\n', err: '' });
});

tap.test('before the first install', async (t) => {
  const { path, start } = house(t.testdir());
  rmSync(path('node_modules'), { recursive: true });
  t.strictSame(await start(), { code: 1, out: '', err: 'Run `npm ci` first.\n' });
});

tap.test('a stack trace names the line of the source', async (t) => {
  const { write, start } = house(t.testdir());
  write('domain/src/index.ts', "\n\nexport const word = 'x'.repeat(-1);\n");
  t.match(await start(), { code: 1, err: /domain\/src\/index\.ts:3:25/ });
});

tap.test('the processes of the image are among the bundles', (t) => {
  const text = ['Dockerfile', 'docker-compose.yml']
    .map((name) => readFileSync(join(repository, name), 'utf8'))
    .join('');
  const named = [...text.matchAll(/dist\/([a-z-]+)\.js/g)].map(([, name]) => name);
  t.strictSame(new Set(named), new Set(['standalone', 'api', 'projector', 'worker']));
  t.end();
});
