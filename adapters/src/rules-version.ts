import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** What the bundles carry, because no sources lie beside them. */
declare const RULES_VERSION: string | undefined;

/**
 * Which version of the rules of a valid body this program has, made from all that is part of them: the text of the domain, of its
 * reader and of the contract, and Node.js, which knows what a letter is. What another version has proved of a body counts for nothing.
 */
export const rulesVersion = (): string =>
  `${typeof RULES_VERSION === 'string' ? RULES_VERSION : versionOfSources()} ${process.version} ${process.arch}`;

/** As `cli/bin/bundle.js` has it. */
function versionOfSources(): string {
  const root = new URL('../../', import.meta.url);
  const hash = createHash('sha256');
  for (const folder of ['contracts/src/', 'domain/reader/', 'domain/src/'])
    for (const name of readdirSync(new URL(folder, root), { encoding: 'utf8', recursive: true }).sort())
      if (name.endsWith('.ts')) hash.update(name).update(readFileSync(new URL(`${folder}${name}`, root)));
  return hash.digest('hex').slice(0, 32);
}
