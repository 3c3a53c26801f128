import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { Program } from '../support/program.js';
import { companyId, startTestApp } from '../support/test-app.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const client = join(root, 'clients/typescript');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** What the client needs, as files: the test needs no network. */
const needed = ['openapi-fetch', 'openapi-typescript-helpers'];

async function run(t: Test, cwd: string, [command = '', ...args]: readonly string[]): Promise<string> {
  const { code, out, err } = await new Program(args, { command, cwd, quiet: true }).ended;
  t.equal(code, 0, `${command} ${args.join(' ')}\n${out}${err}`);
  return out;
}

/** The client's sources as they are checked out: nothing is built. */
async function checkOut(to: string): Promise<string> {
  const at = join(to, 'clients/typescript');
  await cp(client, at, { recursive: true, filter: (file) => !file.startsWith(join(client, 'dist')) });
  await cp(join(root, 'tsconfig.base.json'), join(to, 'tsconfig.base.json'));
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'));
  return at;
}

async function packed(t: Test, folder: string, to: string): Promise<string> {
  const out = await run(t, folder, ['npm', 'pack', '--silent', '--pack-destination', to]);
  return join(to, out.trim().split('\n').at(-1) ?? '');
}

t.test('the packed client is installed in an empty project, compiled and run', async (t) => {
  // Outside of the repository, whose own packages it would find.
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-client-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const [packages, project] = [join(dir, 'packages'), join(dir, 'project')];
  for (const each of [packages, project]) await mkdir(each);
  const tarball = await packed(t, await checkOut(join(dir, 'checkout')), packages);
  const others = await Promise.all(
    needed.map((name) => packed(t, join(root, 'node_modules', name), packages)),
  );

  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await run(t, project, ['npm', 'install', '--offline', '--no-audit', '--no-fund', tarball, ...others]);
  await mkdir(join(project, 'node_modules/@types'), { recursive: true });
  await symlink(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));

  const readme = await readFile(join(project, 'node_modules/@rollcall/client/README.md'), 'utf8');
  const blockOf = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(readme)?.[1] ?? '';
  await writeFile(join(project, 'main.ts'), blockOf('ts'));
  await writeFile(join(project, 'tsconfig.json'), blockOf('json'));
  t.match(blockOf('json'), '"types": ["node"]', 'TypeScript 6 takes no types that are not named');
  const stricter = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  await run(t, project, [process.execPath, tsc, '--project', '.', ...stricter]);

  const app = await startTestApp(t);
  const env = {
    ...process.env,
    ROLLCALL_URL: app.url,
    ROLLCALL_TOKEN: app.token(),
    COMPANY_ID: String(companyId),
  };
  const { out, err } = await new Program(['main.js'], { cwd: project, env, quiet: true }).ended;
  t.equal(out, '+1 ~0 -0\ndone\n1 Ada Example\n', err);
});
