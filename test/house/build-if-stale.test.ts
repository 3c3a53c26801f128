import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap from 'tap';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** A small house of one workspace, with the real script and the real compiler. */
function house(root: string) {
  const path = (name: string): string => join(root, name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const options = {
    composite: true,
    module: 'NodeNext',
    rootDir: 'src',
    outDir: 'dist',
    tsBuildInfoFile: 'dist/.tsbuildinfo',
    types: [],
  };
  write('package.json', JSON.stringify({ type: 'module', workspaces: ['one'] }));
  write('tsconfig.base.json', '{}');
  write('tsconfig.json', JSON.stringify({ files: [], references: [{ path: 'one' }] }));
  write('one/package.json', JSON.stringify({ type: 'module' }));
  write('one/tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['src/**/*.ts'] }));
  write('one/src/a.ts', 'export const a = 1;\n');
  mkdirSync(path('node_modules'));
  symlinkSync(join(repository, 'node_modules', 'typescript'), path('node_modules/typescript'));
  cpSync(join(repository, 'cli/bin/build-if-stale.js'), path('cli/bin/build-if-stale.js'));

  const build = async (): Promise<{ code: unknown; said: string }> => {
    const child = spawn(process.execPath, [path('cli/bin/build-if-stale.js')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [said, out] = ['', ''];
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const [code] = (await once(child, 'close')) as unknown[];
    if (out !== '') throw new Error(`stdout belongs to the caller: ${out}`);
    return { code, said };
  };
  return { path, write, build };
}

tap.test('build what is stale', async (t) => {
  const done = { code: 0, said: '' };

  t.test('what was never built, and what has changed', async (t) => {
    const { path, write, build } = house(t.testdir());
    t.strictSame(await build(), done);
    t.ok(existsSync(path('one/dist/a.js')));
    write('one/src/a.ts', 'export const a = 2;\n');
    t.strictSame(await build(), done);
    t.match(readFileSync(path('one/dist/a.js'), 'utf8'), 'a = 2');
  });

  t.test('nothing where nothing has changed', async (t) => {
    const { path, build } = house(t.testdir());
    await build();
    const before = statSync(path('one/dist/.tsbuildinfo'));
    // Without a compiler a build would fail.
    rmSync(path('node_modules/typescript'));
    t.strictSame(await build(), done);
    t.equal(statSync(path('one/dist/.tsbuildinfo')).mtimeMs, before.mtimeMs);
  });

  t.test('what was built from a file that is gone goes too', async (t) => {
    const { path, write, build } = house(t.testdir());
    write('one/src/old/b.test.ts', 'export const b = 1;\n');
    await build();
    t.ok(existsSync(path('one/dist/old/b.test.js')));
    rmSync(path('one/src/old/b.test.ts'));
    t.strictSame(await build(), done);
    for (const name of ['b.test.js', 'b.test.d.ts']) t.notOk(existsSync(path(`one/dist/old/${name}`)), name);
    t.ok(existsSync(path('one/dist/a.js')));
  });

  t.test('an error is said on stderr, with code 1, each time until it is mended', async (t) => {
    const { write, build } = house(t.testdir());
    write('one/src/a.ts', "export const a: number = 'x';\n");
    for (const time of ['first', 'second']) {
      const { code, said } = await build();
      t.equal(code, 1, time);
      t.match(said, /a\.ts\(1,14\)/);
    }
    write('one/src/a.ts', 'export const a = 1;\n');
    t.strictSame(await build(), done);
  });

  t.test('two at once', async (t) => {
    const { path, build } = house(t.testdir());
    t.strictSame(await Promise.all([build(), build(), build()]), [done, done, done]);
    t.ok(existsSync(path('one/dist/a.js')));
    t.notOk(existsSync(path('node_modules/.rollcall-build.lock')));
  });

  t.test('a lock whose owner is gone does not hold', async (t) => {
    const { write, build } = house(t.testdir());
    write('node_modules/.rollcall-build.lock', '4194304999');
    t.strictSame(await build(), done);
  });

  t.test('before the first install', async (t) => {
    const { path, build } = house(t.testdir());
    rmSync(path('node_modules'), { recursive: true });
    t.strictSame(await build(), { code: 1, said: 'Run `npm ci` first.\n' });
  });
});
