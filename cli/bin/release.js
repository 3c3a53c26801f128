import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { built, external, root } from './bundle.js';
import { lockedPackages, runtimePackages } from './packages.js';
import { sbom } from './sbom.js';

/** Copied as they are; `dist`, packages and `package.json` are made. */
const pages = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'docker-compose.yml'];
const copied = [...pages, 'cli/bin/rollcall.js', 'cli/bin/bundle.js', 'clients', 'deploy', 'docs'];
const isSource = (path) => !['dist', 'node_modules', '__pycache__'].includes(basename(path));

/** Files of a package that Node.js never loads. */
const unused =
  /\.(?:[cm]?ts|map|flow|c|cc|cpp|h|gyp)$|(?<!licen[cs]e)\.md$|\/build\/(?:esm|esnext)(?:\/|$)|\/(?:tests?|benchmarks?|examples?)$/i;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** For one platform, because of native parts. All packages are bundled, so that an install downloads nothing. */
function manifest(packages) {
  const { name, version, description, license, type, engines } = readJson(join(root, 'package.json'));
  const versionOf = (dependency) => packages[`node_modules/${dependency}`].version;
  return {
    ...{ name, version, description, license, type, engines },
    os: [process.platform],
    cpu: [process.arch],
    bin: { rollcall: 'cli/bin/rollcall.js' },
    files: [...copied, 'dist'],
    dependencies: Object.fromEntries(external.map((dependency) => [dependency, versionOf(dependency)])),
    bundleDependencies: external,
  };
}

/** Without its install script: the tarball holds what that would build. */
function copyPackage(from, to) {
  const isWanted = (path) =>
    path === from || (basename(path) !== 'node_modules' && !unused.test(relative(dirname(from), path)));
  cpSync(from, to, { recursive: true, filter: isWanted });
  const manifest = readJson(join(from, 'package.json'));
  delete manifest.scripts;
  writeJson(join(to, 'package.json'), manifest);
}

async function stage(folder) {
  const packages = lockedPackages(root);
  mkdirSync(join(folder, 'dist'));
  for (const { name, contents } of (await built()).files) writeFileSync(join(folder, 'dist', name), contents);
  for (const path of copied)
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: isSource });
  for (const path of runtimePackages(packages, '', external))
    if (existsSync(join(root, path))) copyPackage(join(root, path), join(folder, path));
  writeJson(join(folder, 'package.json'), manifest(packages));
}

/** Makes the tarball for `npm install -g` and its bill of materials. Returns the tarball's path. */
async function release(folder) {
  const staged = mkdtempSync(join(tmpdir(), 'rollcall-release-'));
  try {
    await stage(staged);
    mkdirSync(folder, { recursive: true });
    const { name, version } = readJson(join(staged, 'package.json'));
    execFileSync('npm', ['pack', '--silent', '--pack-destination', staged], { cwd: staged, stdio: 'ignore' });
    const tarball = join(folder, `${name}-${version}-${process.platform}-${process.arch}.tgz`);
    cpSync(join(staged, `${name}-${version}.tgz`), tarball);
    writeJson(join(folder, 'sbom.cdx.json'), sbom());
    return tarball;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

const tarball = await release(resolve(process.argv[2] ?? join(root, 'release')));
process.stdout.write(`${tarball}: ${(statSync(tarball).size / 1e6).toFixed(1)} MB\n`);
