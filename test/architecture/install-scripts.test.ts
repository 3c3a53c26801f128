import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { root } from './source-files.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

const parsed = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

tap.test('no package runs a script when it is installed, and npm is told so for each', async (t) => {
  const { packages } = parsed('package-lock.json') as Lock;
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1) ?? path);
  const { allowScripts } = parsed('package.json') as { allowScripts: Readonly<Record<string, boolean>> };
  const refused = Object.fromEntries(withScript.map((name) => [name, false]));
  t.strictSame(allowScripts, refused);
});
