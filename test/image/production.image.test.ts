import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { root } from '../runner/test-files.js';
import { skipWithout } from '../servers/skip-without.js';
import { skipWithoutServers } from '../servers/three-servers.js';
import { Engine, EngineDoesNotStart, missingForEngine } from './engine.js';
import { checkContainers } from './containers.js';
import { throughFaults } from './faults.js';
import { buildOlder, commitBefore, missingBaseImage, prepareImages } from './images.js';
import { LoadProcess } from './load-process.js';
import { dockerCompose, readmeBlocks } from './readme.js';
import { Stack } from './stack.js';
import { upgraded } from './upgrade.js';

/** Of the commit before this one. */
const olderImage = 'rollcall:before';
/** That the image is told it was built from. */
const commit = '8f3c2d1a9b04';
const timeout = 2_400_000;
tap.setTimeout(timeout);

const seconds = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(0)} s`;

/** Builds the image by the Dockerfile as it is; again after a change of code, which installs nothing. */
async function buildImages(t: Test, stack: Stack, folder: string): Promise<void> {
  let begun = performance.now();
  await prepareImages(stack.engine, join(folder, 'servers'));
  t.comment(`the base and the servers: ${seconds(begun)}`);
  begun = performance.now();
  await stack.compose('build', 'api');
  t.comment(`the image: ${seconds(begun)}`);
  const size = Number(
    await stack.engine.docker('image', 'inspect', '--format', '{{.Size}}', 'rollcall:0.1.0'),
  );
  t.comment(`its size: ${(size / 1e6).toFixed(0)} MB`);
  t.ok(size < 340e6, 'docs/production.md says how large it is');
  const inImage = await stack.engine.docker(
    ...[
      'run',
      '--rm',
      '--network=none',
      'rollcall:0.1.0',
      'sh',
      '-c',
      'ls node_modules node_modules/@*; rollcall --version; cat sbom.cdx.json',
    ],
  );
  const names = inImage.split('\n');
  const tests = [
    'ajv',
    'autocannon',
    'esbuild',
    'fast-check',
    'openapi-fetch',
    'openapi-typescript',
    'smtp-server',
  ];
  t.strictSame(
    [...tests, 'tap', 'typescript'].filter((name) => names.includes(name)),
    [],
    'nothing of the tests is installed',
  );
  t.match(inImage, new RegExp(`^0\\.1\\.0 \\(${commit}\\)$`, 'm'), 'commands run from what is built');
  t.match(inImage, '"bomFormat": "CycloneDX"');
  const labels = await stack.engine.docker(
    'image',
    'inspect',
    '--format',
    '{{json .Config.Labels}}',
    'rollcall:0.1.0',
  );
  t.match(JSON.parse(labels), {
    'org.opencontainers.image.version': '0.1.0',
    'org.opencontainers.image.revision': commit,
  });
}

/** The commands of the README from empty volumes to the first PUT. Resolves with the token. */
async function firstPut(t: Test, stack: Stack, folder: string): Promise<string> {
  const [commands = '', put = ''] = await readmeBlocks('Production');
  const env = { ...stack.env, PWD: root };
  await writeFile(join(folder, 'employees.json'), JSON.stringify(generatedEmployees(20)));
  const begun = performance.now();
  const out = await stack.engine.script(`${dockerCompose}${commands}printf '%s\\n' "TOKEN $TOKEN"`, {
    env,
    cwd: folder,
    withinMs: 400_000,
  });
  const token = /^TOKEN (\S+)$/m.exec(out)?.[1] ?? '';
  t.match(out, /Company 7 is configured[\s\S]*API user 1 is added/);
  await stack.untilHealthy();
  t.comment(`from empty volumes to a healthy stack with a token: ${seconds(begun)}`);
  const answer = await stack.engine.script(dockerCompose + put, {
    env: { ...env, TOKEN: token },
    cwd: folder,
  });
  t.match(JSON.parse(answer), { Inserted: 20, Updated: 0, Removed: 0, WasQueued: false });
  t.comment(`to the first PUT: ${seconds(begun)}`);
  t.match(
    await stack.rollcall('audit', 'verify'),
    /The log is whole[^]*\nThe read models are what the log says/,
  );
  t.match(JSON.parse(await stack.rollcall('audit', 'anchor')), { streams: Number, signature: String });
  return token;
}

async function run(t: Test, folder: string): Promise<void> {
  const building = await Engine.start(join(folder, 'engine'), { apart: false });
  t.teardown(() => building.remove());
  await t.test('the image', (t) =>
    buildImages(t, new Stack(building, 'rollcall', { ROLLCALL_COMMIT: commit }), folder),
  );
  const before = await commitBefore(join(folder, 'before'));
  if (before !== undefined) await buildOlder(building, join(folder, 'before'), olderImage);
  await building.stop();
  const engine = await Engine.start(join(folder, 'engine'), { apart: true });
  t.teardown(() => engine.remove());
  const stack = new Stack(engine, 'rollcall');
  await t.test('from empty volumes to the first PUT, as the README says', (t) => firstPut(t, stack, folder));
  await t.test('the containers', (t) => checkContainers(t, stack));
  await t.test('kill, restart and disconnect of each service and server', (t) => underLoad(t, stack));
  await stack.compose('down', '--volumes');
  const skip = skipWithout(
    before === undefined && 'there is no commit before this one: clone with its history',
  );
  await t.test('an image of the commit before on the same volumes', { skip }, (t) =>
    upgraded(t, engine, olderImage),
  );
}

/** Everything that was answered is there, once. */
async function checkSettled(t: Test, stack: Stack, load: LoadProcess): Promise<void> {
  await stack.untilHealthy();
  await load.urls(await stack.urls());
  for (const { there, wanted } of await load.settled()) t.strictSame(there, wanted);
  t.match(
    await stack.rollcall('audit', 'verify'),
    /The log is whole[^]*\nThe read models are what the log says/,
  );
}

async function underLoad(t: Test, stack: Stack): Promise<void> {
  // The README's commands added the first API user.
  const load = new LoadProcess(stack.engine, await stack.companies([2, 3, 4]));
  t.teardown(() => load.end());
  await load.urls(await stack.urls());
  const faults = await throughFaults(t, stack, load);
  await load.stop();
  const { calls, cut, refused, problems } = await load.counts();
  t.comment(
    `${faults} faults; ${calls.join(', ')} calls carried out, ${refused} times 503, ${cut} times cut off`,
  );
  t.strictSame(problems, []);
  await checkSettled(t, stack, load);
  await stack.compose('down');
  await stack.up();
  t.comment('down and up');
  await checkSettled(t, stack, load);
}

/** Why nothing can run here, false where something can. */
const missing = skipWithout(missingForEngine() ?? missingBaseImage() ?? false) || skipWithoutServers;

if (missing) tap.test('the image and its compose file', { skip: missing }, () => undefined);
else
  tap.test('the image and its compose file', { timeout }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-image-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    try {
      await run(t, folder);
    } catch (error) {
      if (!(error instanceof EngineDoesNotStart)) throw error;
      await t.test(
        'on an engine',
        { skip: `the Docker engine does not start here: ${error.message}` },
        () => undefined,
      );
    }
  });
