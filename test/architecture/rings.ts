import { dirname, join, normalize } from 'node:path';
import { isRelative } from './rules.js';
import type { SourceFile } from './source-files.js';

const targetOf = (file: SourceFile, from: string): string =>
  normalize(join(dirname(file.path), from)).replace(/\.(c?)js$/, '.$1ts');

/** `api/src/http` of every file in it and below; a file that lies in no folder of `src` stands for itself. */
export const folderIn = (path: string): string => path.replace(/^(.*?\bsrc\/[^/]+).*$/, '$1');

/**
 * Files, or what `unitOf` makes of their paths, that import each other in a ring, types included: each ring as the way around
 * it. Only relative imports count; between workspaces the arrows forbid rings.
 */
export function rings(files: readonly SourceFile[], unitOf = (path: string): string => path): string[] {
  const ways = new Map<string, Set<string>>();
  for (const file of files) {
    const unit = unitOf(file.path);
    const targets = file.imports
      .filter(({ from }) => isRelative(from))
      .map(({ from }) => targetOf(file, from));
    const others = targets.map(unitOf).filter((other) => other !== unit);
    ways.set(unit, new Set([...(ways.get(unit) ?? []), ...others]));
  }
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (done.has(path) || way.includes(path)) return;
    for (const next of ways.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of ways.keys()) visit(path, []);
  return found;
}
