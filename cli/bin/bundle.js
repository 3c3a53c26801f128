import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const inputsFile = join(dist, 'inputs.json');
const dayMs = 24 * 60 * 60 * 1000;

/** Each process, and each thread that is started from a file. */
const entryPoints = {
  standalone: 'standalone/src/main.ts',
  api: 'api/src/main.ts',
  projector: 'projector/src/main.ts',
  worker: 'worker/src/main.ts',
  rollcall: 'cli/src/main.ts',
  'projector-thread': 'standalone/src/projector-thread.ts',
  'invitations-thread': 'standalone/src/invitations-thread.ts',
  'import-thread': 'adapters/src/import-threads/import-thread.ts',
  'lmdb-probe': 'adapters/src/lmdb-probe.ts',
};
const commonJsEntryPoints = { 'import-thread-entry': 'adapters/src/import-threads/import-thread-entry.cts' };

/** Native code, what finds files beside its own, and the clients of servers and of OpenTelemetry, which are loaded where they are chosen. */
const external = [
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

/** Whether something that went into the bundles has changed since. What has no sources, as the image, is what it is. */
function isStale() {
  if (!existsSync(join(root, 'standalone/src'))) return false;
  if (!existsSync(inputsFile)) return true;
  const built = modified(inputsFile);
  return JSON.parse(readFileSync(inputsFile, 'utf8')).some((path) => modified(join(root, path)) >= built);
}

/** A workspace's name stands for its sources. */
const fromSources = {
  name: 'from-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^@rollcall\// }, ({ path }) => {
      const [, workspace, surface = 'index'] = path.split('/');
      return { path: join(root, workspace, 'src', `${surface}.ts`), sideEffects: false };
    });
  },
};

/** Packages without source maps: theirs would be nine tenths of what a process with source maps has to keep. */
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

/** Of the projections, made from their text and that of their documents (`adapters/src/projections-version.ts`). */
function projectionsVersion() {
  const hash = createHash('sha256');
  for (const folder of ['projector/src/projections', 'application/src/read-models'])
    for (const name of readdirSync(join(root, folder)).sort())
      hash.update(name).update(readFileSync(join(root, folder, name)));
  return hash.digest('hex').slice(0, 32);
}

/** Of the rules of a valid body, made from their text (`adapters/src/rules-version.ts`). */
function rulesVersion() {
  const hash = createHash('sha256');
  for (const folder of ['contracts/src', 'domain/reader', 'domain/src'])
    for (const name of readdirSync(join(root, folder), { recursive: true }).sort())
      if (name.endsWith('.ts')) hash.update(name).update(readFileSync(join(root, folder, name)));
  return hash.digest('hex').slice(0, 32);
}

/** `ROLLCALL_COMMIT`, for builds without git; otherwise the commit that is checked out, `-dirty` where files differ from it. */
function commit() {
  const { ROLLCALL_COMMIT: given = '' } = process.env;
  if (given !== '' || !existsSync(join(root, '.git'))) return given;
  const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/** The files, and what they were made from. */
async function built() {
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
      define: {
        PROJECTIONS_VERSION: JSON.stringify(projectionsVersion()),
        RULES_VERSION: JSON.stringify(rulesVersion()),
        COMMIT: JSON.stringify(commit()),
      },
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
  return { files: results.flatMap(({ outputFiles }) => outputFiles), inputs };
}

/** The chunks first, and each file whole: whoever starts meanwhile runs the old bundles or the new ones. */
function write({ files, inputs }, readerInputs, begun) {
  mkdirSync(dist, { recursive: true });
  const isChunk = ({ path }) => basename(path).startsWith('chunk-');
  for (const { path, contents } of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))])
    writeWhole(path, contents, new Date());
  const own = inputs.filter((path) => !path.includes('node_modules/'));
  const settings = [
    'package-lock.json',
    'tsconfig.base.json',
    relative(root, fileURLToPath(import.meta.url)),
    ...readerInputs.map((path) => relative(root, path)),
  ];
  // The moment the build began: a file saved meanwhile makes the next start build again.
  writeWhole(inputsFile, JSON.stringify([...own, ...settings]), begun);
}

function writeWhole(path, contents, time) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, contents);
  utimesSync(own, time, time);
  renameSync(own, path);
}

/** What runs may still load chunks of the build before. */
function removeOld() {
  for (const name of readdirSync(dist))
    if (modified(join(dist, name)) < Date.now() - dayMs) rmSync(join(dist, name), { force: true });
}

/** Makes `dist` from the sources, with one file for each process and thread and chunks that they share. */
export async function bundle() {
  // Not in the image, which has no sources.
  const { buildReader, readerInputs } = await import('../../domain/reader/build.js');
  await buildReader();
  const begun = new Date();
  write(await built(), readerInputs(), begun);
  removeOld();
}

/**
 * Bundles what is stale, and says so on stderr; some milliseconds where nothing is. Several may do it at once. Ends the
 * process with code 1 where it fails. Types are checked by `npm run build`, not here.
 */
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
