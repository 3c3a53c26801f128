import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const lockedPackages = (root) =>
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/** Resolves as Node does: next to the importer, then in each folder above. */
function pathOf(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = [folder, 'node_modules', name].filter(Boolean).join('/');
    if (path in packages) return packages[path].link ? packages[path].resolved : path;
    if (folder === '') return undefined;
  }
}

const needs = ({ dependencies, optionalDependencies, peerDependencies }) =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

/** The packages that `from` would load for these names, themselves included. */
export function runtimePackages(packages, from, names) {
  const found = new Set();
  const waiting = names.map((name) => pathOf(packages, from, name));
  for (let path = waiting.pop(); path !== undefined || waiting.length > 0; path = waiting.pop()) {
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    for (const name of needs(packages[path])) waiting.push(pathOf(packages, path, name));
  }
  return [...found].filter((path) => path.includes('node_modules/')).sort();
}
