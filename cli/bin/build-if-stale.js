import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lockWaitMs = 300_000;

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The newest change among a folder's TypeScript files; the folder itself counts too, so that a removal is seen. */
function newestSource(folder) {
  let newest = modified(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      if (entry.name !== 'dist' && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
        newest = Math.max(newest, newestSource(join(folder, entry.name)));
    } else if (/\.c?ts$/.test(entry.name)) newest = Math.max(newest, modified(join(folder, entry.name)));
  }
  return newest;
}

const sourceFolder = (workspace) => join(root, workspace, workspace === 'test' ? '' : 'src');
const buildInfo = (workspace) => join(root, workspace, 'dist', '.tsbuildinfo');

/** What the compiler notes where it found errors, or did not end: then the times say nothing. */
const unfinished =
  /"(?:errors|semanticDiagnosticsPerFile|emitDiagnosticsPerFile|affectedFilesPendingEmit|changeFileSet)":/;

function isStale() {
  const shared = Math.max(
    ...['package.json', 'tsconfig.base.json', 'tsconfig.json'].map((name) => modified(join(root, name))),
  );
  return workspaces.some((workspace) => {
    const built = modified(buildInfo(workspace));
    const settings = ['package.json', 'tsconfig.json'].map((name) => modified(join(root, workspace, name)));
    if (built <= Math.max(shared, ...settings)) return true;
    if (existsSync(sourceFolder(workspace)) && built <= newestSource(sourceFolder(workspace))) return true;
    return unfinished.test(readFileSync(buildInfo(workspace), 'utf8'));
  });
}

/** Removes what was built from sources that are gone: a test that was deleted must not run on. */
function removeOrphans(workspace, folder = join(root, workspace, 'dist')) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeOrphans(workspace, path);
    const [, stem] = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(entry.name) ?? [];
    if (!stem || !entry.isFile()) continue;
    const source = join(
      sourceFolder(workspace),
      relative(join(root, workspace, 'dist'), folder),
      `${stem}.ts`,
    );
    if (!existsSync(source)) rmSync(path);
  }
}

/** Runs the installed compiler; its own words go to stderr, because stdout belongs to whoever builds. */
function compile() {
  for (const workspace of workspaces) mkdirSync(join(root, workspace, 'dist'), { recursive: true });
  const begun = new Date();
  const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
  const result = spawnSync(process.execPath, [compiler, '-b', root], {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`The build failed:\n${result.stdout}${result.stderr}`.trimEnd());
  for (const workspace of workspaces) {
    removeOrphans(workspace);
    // The moment the build began: a file saved while the compiler ran makes the next call build again.
    if (existsSync(buildInfo(workspace))) utimesSync(buildInfo(workspace), begun, begun);
  }
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Takes the lock, or returns false. A lock whose owner is gone is moved aside first. */
function tryLock(lock) {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(own);
  }
  const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : undefined;
  if (owner !== undefined && !isAlive(owner)) {
    renameSync(lock, own);
    // Somebody else may have taken over in between: what was moved is then theirs, and goes back.
    if (Number(readFileSync(own, 'utf8')) !== owner) linkSync(own, lock);
    unlinkSync(own);
  }
  return false;
}

function withLock(work) {
  const lock = join(root, 'node_modules', '.rollcall-build.lock');
  const deadline = Date.now() + lockWaitMs;
  while (!tryLock(lock)) {
    if (Date.now() > deadline)
      throw new Error(`Another build holds ${lock} for too long: end it, or remove the file.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * Builds every workspace whose sources or settings are newer than what was built from them; some milliseconds where
 * nothing is stale. Safe when several processes do it at once. Ends the process with code 1 where the build fails.
 */
export function buildIfStale() {
  try {
    if (!isStale()) return;
    if (!existsSync(join(root, 'node_modules', 'typescript'))) throw new Error('Run `npm ci` first.');
    withLock(() => {
      if (isStale()) compile();
    });
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) buildIfStale();
