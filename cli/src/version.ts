import { createRequire } from 'node:module';

/** What the bundles carry: the commit that they were built from, where that was known. */
declare const COMMIT: string | undefined;

/** Of Rollcall, and the commit where the build knew it: `0.1.0 (8f3c2d1a9b04)`. */
export function versionText(): string {
  const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
  const commit = typeof COMMIT === 'string' ? COMMIT : '';
  return commit === '' ? version : `${version} (${commit})`;
}
