import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { type Test } from 'tap';
import { freePort } from '../servers/free-port.js';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const mostBytes = 140e6;
/** After this time a command's process is ended. */
const commandEndsWithinMs = 1_000;

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a program prints; throws where it fails. */
async function run(t: Test, [command = '', ...args]: readonly string[], place: Place): Promise<string> {
  const begun = performance.now();
  const { code, out, err } = await new Program(args, { command, quiet: true, ...place }).ended;
  t.comment(`${command} ${args.slice(0, 2).join(' ')}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${out}${err}`);
  return out;
}

/** The folder with the release: made once for several versions of Node.js where ROLLCALL_RELEASE_DIR names it. */
async function released(t: Test, otherwise: string): Promise<string> {
  const folder = process.env['ROLLCALL_RELEASE_DIR'] ?? otherwise;
  if (!existsSync(join(folder, 'sbom.cdx.json')))
    await run(t, ['npm', 'run', 'release', '--', folder], { cwd: repository, env: process.env });
  return folder;
}

/** A registry that has nothing, and counts who asks. */
async function emptyRegistry(t: Test): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${port}/`, asked };
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );

/** An empty folder and home outside of the repository, with the release installed, by the Node.js that runs this test. */
async function installed(t: Test) {
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-stranger-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const [cwd, home, prefix] = [join(dir, 'empty'), join(dir, 'home'), join(dir, 'prefix')];
  for (const folder of [cwd, home]) await mkdir(folder);
  const release = await released(t, join(dir, 'release'));
  const tarball = readdirSync(release).find((name) => name.endsWith('.tgz')) ?? '';
  const registry = await emptyRegistry(t);
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: home,
    PORT: '0',
    npm_config_registry: registry.url,
    npm_config_update_notifier: 'false',
  };
  const place = { cwd, env };
  await run(t, ['npm', 'install', '-g', '--prefix', prefix, join(release, tarball)], place);
  t.strictSame(registry.asked, [], 'nothing is downloaded');
  const [command, folder] = [join(prefix, 'bin/rollcall'), join(prefix, 'lib/node_modules/rollcall')];
  return { command, folder, place, release, tarball: join(release, tarball) };
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** What is checked out, as the bundles name it; undefined where this is no clone. */
function checkedOut(): string | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: repository,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

const text = async (url: string): Promise<string> => (await fetch(url)).text();

tap.test('a release, installed by a stranger', { timeout: 300_000 }, async (t) => {
  const { command, folder, place, release, tarball } = await installed(t);
  const rollcall = (...args: readonly string[]): Promise<string> => run(t, [command, ...args], place);
  const { version, dependencies } = manifestIn(folder);
  let commit: string | undefined;

  await t.test('is small, and whole', async (t) => {
    const bytes = bytesIn(folder);
    t.comment(`${(statSync(tarball).size / 1e6).toFixed(1)} MB, installed ${(bytes / 1e6).toFixed(1)} MB`);
    t.ok(bytes < mostBytes, `${bytes} bytes`);
    t.equal(version, manifestIn(repository).version);
    const load = Object.keys(dependencies).map((name) => `await import('${name}');`);
    await run(t, [process.execPath, '--input-type=module', '-e', load.join('')], { ...place, cwd: folder });
    const bom = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8')) as {
      components: readonly { name: string }[];
    };
    const named = new Set(bom.components.map(({ name }) => name));
    t.strictSame(
      Object.keys(dependencies).filter((name) => !named.has(name)),
      [],
      'the bill of materials lies beside the tarball',
    );
  });

  await t.test('holds what its README leads to, and the verifier', async (t) => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = '']) => to);
    t.ok(links.length > 20, `${links.length} were followed`);
    t.strictSame(
      [...links, 'clients/verifier/verify.py'].filter((to) => !existsSync(join(folder, to))),
      [],
    );
    t.notOk(existsSync(join(folder, 'clients/typescript/dist')), 'nothing that was built besides');
  });

  await t.test('knows its version and its commit', async (t) => {
    const [, shown, built] = /^(\S+)(?: \((\S+)\))?\n$/.exec(await rollcall('--version')) ?? [];
    t.equal(shown, version);
    t.equal(built?.replace(/-dirty$/, ''), checkedOut());
    commit = built;
  });

  await t.test('runs the service', async (t) => {
    const service = new Program(['start'], { command, quiet: true, ...place });
    const [url = ''] = /http:\S+/.exec(await service.says(/listens on \S+/)) ?? [];
    const listening = performance.now();
    t.equal((await fetch(`${url}/health/ready`)).status, 200);
    t.match(JSON.parse(await text(`${url}/health/live`)), { Version: version, Commit: commit ?? null });
    t.match(
      await text(`${url}/metrics`),
      `rollcall_build_info{version="${version}",commit="${commit ?? ''}",`,
    );
    t.match(await text(`${url}/docs/static/swagger-ui.css`), '.swagger-ui');

    await until('a command would have ended', () => performance.now() - listening > commandEndsWithinMs);
    const token = readFileSync(join(place.cwd, 'data/demo-token'), 'utf8').trim();
    const employee = {
      ...{ EmployeeID: 'A-1', Firstname: 'Astrid', Lastname: 'Holm', Email: 'astrid.holm@example.com' },
      EmploymentStatus: 0,
    };
    const put = await fetch(`${url}/v1.0/Company/1/Employee`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify([employee]),
    });
    t.match(await put.json(), { Inserted: 1, WasQueued: false });
    t.match(await rollcall('audit', 'verify'), 'The log is whole');
    t.equal(await service.stop(), 0, 'SIGTERM ends it');
    t.equal(service.errors, '');
  });

  await t.test('runs a part of it', async (t) => {
    const worker = new Program(['start', 'worker'], { command, quiet: true, ...place });
    await worker.says(/^The worker runs\n/);
    t.equal(await worker.stop(), 0);
  });
});
