import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { type Test } from 'tap';
import { ChildProcess, entryOf } from '../servers/child-process.js';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';

const testWorkspace = fileURLToPath(new URL('../..', import.meta.url));

/** Writes down which packages each thread of a process loads, one a line. */
const recorder = `
const { appendFileSync } = require('node:fs');
const Module = require('node:module');
const { threadId } = require('node:worker_threads');
const load = Module._extensions['.js'];
const seen = new Set();
Module._extensions['.js'] = (module, filename) => {
  const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(filename) ?? [];
  if (name && !seen.has(name)) appendFileSync(process.env.LOADED_PACKAGES, threadId + ' ' + name + '\\n');
  seen.add(name);
  return load(module, filename);
};
`;

interface Recorded {
  readonly env: Readonly<Record<string, string>>;
  /** What each thread has loaded: its number and the package. */
  readonly loaded: () => readonly (readonly [string, string])[];
}

function recorded(t: Test): Recorded {
  const folder = t.testdir({ 'recorder.cjs': recorder });
  const file = join(folder, 'loaded');
  writeFileSync(file, '');
  return {
    env: { NODE_OPTIONS: `--require=${join(folder, 'recorder.cjs')}`, LOADED_PACKAGES: file },
    loaded: () =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [thread = '', name = ''] = line.split(' ');
          return [thread, name] as const;
        }),
  };
}

/** The metrics' library loads OpenTelemetry's interface, and nothing behind it. */
const ofServers = /^(@eventstore\/|@grpc\/|@opentelemetry\/(?!api$)|mongodb$|nats$)/;

const serversIn = (loaded: ReturnType<Recorded['loaded']>): string[] =>
  [...new Set(loaded.map(([, name]) => name).filter((name) => ofServers.test(name)))].sort();

/** What the embedded store loads its native code with: whoever has opened it has loaded all that a thread begins with. */
const ofEmbedded = 'node-gyp-build-optional-packages';

const threadsWithStores = (loaded: ReturnType<Recorded['loaded']>): number =>
  loaded.filter(([, name]) => name === ofEmbedded).length;

tap.test('no client of a server is loaded where none is chosen', async (t) => {
  const dataDir = t.testdir();
  for (const [part, says, threads] of [
    // The process, the projector, and the two import threads of calls.
    ['standalone', /listens on .*\n/, 4],
    ['worker', / runs\n/, 1],
  ] as const) {
    t.test(part, async (t) => {
      const { env, loaded } = recorded(t);
      const child = new ChildProcess({ dataDir, entry: entryOf(part), env });
      try {
        await child.says(says, 60_000);
        const isOver = (): boolean => threadsWithStores(loaded()) >= threads || child.hasEnded;
        await until(`${threads} threads have opened their stores`, isOver, { everyMs: 10 });
        t.strictSame(serversIn(loaded()), []);
      } finally {
        t.equal(await child.stop(), 0);
      }
    });
  }
});

async function importing(t: Test, ...names: readonly string[]): Promise<readonly string[]> {
  const { env, loaded } = recorded(t);
  const imports = names.map((name) => `import ${JSON.stringify(name)};`).join('');
  const child = new Program(['--input-type=module', '--eval', imports], {
    cwd: testWorkspace,
    env: { ...process.env, ...env },
  });
  const { code } = await child.ended;
  t.equal(code, 0);
  return serversIn(loaded());
}

tap.test('the workspaces name the drivers, and load none', async (t) => {
  const all = [
    'adapters',
    'adapters/read',
    'host',
    'host/read',
    'api',
    'projector',
    'worker',
    'standalone',
    'cli',
  ];
  t.strictSame(await importing(t, ...all.map((name) => `@rollcall/${name}`)), []);
});

tap.test('a client that is loaded is seen', async (t) => {
  const clients = ['@eventstore/db-client', '@grpc/grpc-js', 'mongodb', 'nats'];
  t.strictSame(await importing(t, ...clients), clients);
});

tap.test('OpenTelemetry is loaded where an endpoint is set', async (t) => {
  const dataDir = t.testdir();
  await t.test('worker', async (t) => {
    const { env, loaded } = recorded(t);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const child = new ChildProcess({ dataDir, entry: entryOf('worker'), env: { ...env, ...endpoint } });
    await child.says(/ runs\n/, 60_000);
    t.ok(serversIn(loaded()).includes('@opentelemetry/sdk-trace'));
    t.equal(await child.stop(), 0);
  });
});
