import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** What the bundles carry, because no sources lie beside them. */
declare const PROJECTIONS_VERSION: string | undefined;

/**
 * Which version of the projections this program has, made from their text and that of what their documents consist of: read models of another version are built
 * anew, and nobody has to think of it.
 */
export const projectionsVersion = (): string =>
  typeof PROJECTIONS_VERSION === 'string' ? PROJECTIONS_VERSION : versionOfSources();

/** As `cli/bin/bundle.js` has it. */
function versionOfSources(): string {
  const hash = createHash('sha256');
  for (const part of ['projector/src/projections', 'application/src/read-models']) {
    const folder = new URL(`../../${part}/`, import.meta.url);
    for (const name of readdirSync(folder).sort())
      hash.update(name).update(readFileSync(new URL(name, folder)));
  }
  return hash.digest('hex').slice(0, 32);
}
