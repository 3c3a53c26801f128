import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const inputsFile = join(dist, 'inputs.json');
const dayMs = 24 * 60 * 60 * 1000;

const entryPoints = {
  standalone: 'standalone/src/main.ts',
  api: 'api/src/main.ts',
  projector: 'projector/src/main.ts',
  worker: 'worker/src/main.ts',
  rollcall: 'cli/src/main.ts',
  'projector-thread': 'standalone/src/projector-thread.ts',
  'invitations-thread': 'standalone/src/invitations-thread.ts',
  'import-thread': 'host/src/import-threads/import-thread.ts',
  'lmdb-probe': 'adapters/src/lmdb-probe.ts',
  'verify-thread': 'cli/src/commands/verify-thread.ts',
};
const commonJsEntryPoints = { 'import-thread-entry': 'host/src/import-threads/import-thread-entry.cts' };

/** Native code, packages that find files next to their own, and clients that are loaded where they are chosen. */
export const external = [
  'lmdb',
  'pino',
  'piscina',
  '@fastify/swagger-ui',
  '@eventstore/db-client',
  '@grpc/grpc-js',
  'google-protobuf',
  'mongodb',
  'nats',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;

/** Whether a bundled file has changed since. The image, without sources, is never stale. */
function isStale() {
  if (!existsSync(join(root, 'standalone/src'))) return false;
  if (!existsSync(inputsFile)) return true;
  const built = modified(inputsFile);
  return JSON.parse(readFileSync(inputsFile, 'utf8')).some((path) => modified(join(root, path)) >= built);
}

const fromSources = {
  name: 'from-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^@rollcall\// }, ({ path }) => {
      const [, workspace, surface = 'index'] = path.split('/');
      return { path: join(root, workspace, 'src', `${surface}.ts`), sideEffects: false };
    });
  },
};

/** Packages' source maps would be nine tenths of the source maps that a process keeps in memory. */
const withoutPackageMaps = {
  name: 'without-package-maps',
  setup({ onLoad }) {
    const emptyMap = Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString('base64');
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
      loader: 'js',
    }));
  },
};

const common = {
  absWorkingDir: root,
  outdir: dist,
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  write: false,
  metafile: true,
  logLevel: 'silent',
};

/** `ROLLCALL_COMMIT`, for builds without git; otherwise the checked-out commit, `-dirty` where files differ. */
function commit() {
  const { ROLLCALL_COMMIT: given = '' } = process.env;
  if (given !== '' || !existsSync(join(root, '.git'))) return given;
  const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

export async function built() {
  const { buildReader, readerInputs } = await import('../../employee-lists/reader/build.js');
  await buildReader();
  // A file saved from now on makes the next start build again.
  const begun = new Date();
  const { build } = await import('esbuild');
  const results = await Promise.all([
    build({
      ...common,
      entryPoints,
      bundle: true,
      splitting: true,
      format: 'esm',
      chunkNames: 'chunk-[hash]',
      external,
      define: { COMMIT: JSON.stringify(commit()) },
      plugins: [fromSources, withoutPackageMaps],
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
    }),
    build({
      ...common,
      entryPoints: commonJsEntryPoints,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
    }),
  ]);
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const settings = [
    'package-lock.json',
    'tsconfig.base.json',
    relative(root, fileURLToPath(import.meta.url)),
    ...readerInputs().map((path) => relative(root, path)),
  ];
  return {
    files: results.flatMap(({ outputFiles }) =>
      outputFiles.map(({ path, contents }) => ({ name: relative(dist, path), contents })),
    ),
    inputs: [...inputs.filter((path) => !path.includes('node_modules/')), ...settings],
    begun,
  };
}

/** Chunks first, each file atomically: a process that starts meanwhile runs the old bundles or the new. */
function write({ files, inputs, begun }) {
  mkdirSync(dist, { recursive: true });
  const isChunk = ({ name }) => name.startsWith('chunk-');
  for (const { name, contents } of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))])
    writeWhole(join(dist, name), contents, new Date());
  writeWhole(inputsFile, JSON.stringify(inputs), begun);
}

function writeWhole(path, contents, time) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, contents);
  utimesSync(own, time, time);
  renameSync(own, path);
}

/** A running process may still load the previous build's chunks. */
function removeOld() {
  for (const name of readdirSync(dist))
    if (modified(join(dist, name)) < Date.now() - dayMs) rmSync(join(dist, name), { force: true });
}

export async function bundle() {
  write(await built());
  removeOld();
}

/** Bundles what is stale, safely in concurrent processes. Exits with code 1 on failure. `npm run build` checks types. */
export async function bundleIfStale() {
  if (!isStale()) return;
  if (!existsSync(join(root, 'node_modules', 'esbuild'))) fail('Run `npm ci` first.');
  process.stderr.write('Building Rollcall, a few seconds ...\n');
  const begun = Date.now();
  await bundle().catch((error) => fail(`The build failed:\n${error.message}`));
  process.stderr.write(`Built in ${((Date.now() - begun) / 1000).toFixed(1)} s.\n`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await (process.argv[2] === '--if-stale' ? bundleIfStale() : bundle());
