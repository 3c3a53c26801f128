import { dirname, join, normalize } from 'node:path';
import { isRelative } from './rules.js';
import type { SourceFile } from './source-files.js';

const targetOf = (file: SourceFile, from: string): string =>
  normalize(join(dirname(file.path), from)).replace(/\.(c?)js$/, '.$1ts');

/**
 * Files that import each other in a ring, types included: each ring as the way around it. Only relative imports count; between
 * workspaces the arrows forbid rings.
 */
export function rings(files: readonly SourceFile[]): string[] {
  const ways = new Map(
    files.map((file) => [
      file.path,
      file.imports.filter(({ from }) => isRelative(from)).map(({ from }) => targetOf(file, from)),
    ]),
  );
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
