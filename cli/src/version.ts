import { createRequire } from 'node:module';
import { commit } from '@rollcall/contracts';

/** With the commit where known: `0.1.0 (8f3c2d1a9b04)`. */
export function versionText(): string {
  const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
  return commit === null ? version : `${version} (${commit})`;
}
