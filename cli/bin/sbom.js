import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lockedPackages, runtimePackages } from './packages.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `sha512-...` of package-lock.json, as CycloneDX has it. */
const hashOf = (integrity) => ({
  alg: 'SHA-512',
  content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
});

function component(path, { version, license, integrity, optional = false }) {
  const name = path.split('node_modules/').at(-1);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': `${purl}#${path}`,
    name,
    version,
    scope: optional ? 'optional' : 'required',
    purl,
    ...(license && { licenses: [{ expression: license }] }),
    ...(integrity?.startsWith('sha512-') && { hashes: [hashOf(integrity)] }),
  };
}

/** CycloneDX 1.5: every package that the processes and the command line run. */
export function sbom() {
  const { name, version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packages = lockedPackages(root);
  const paths = runtimePackages(packages, '', ['@rollcall/standalone', '@rollcall/cli']);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version, description } },
    components: paths.map((path) => component(path, packages[path])),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${JSON.stringify(sbom(), null, 2)}\n`);
