import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/source-files.js';

const folder = 'test/frozen';

/** The path of a frozen file, from the repository's root. */
export const frozenPath = (name: string): string => `${folder}/${name}`;

export const readFrozen = (name: string): string | undefined => {
  const path = join(root, frozenPath(name));
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/** The lines of a frozen file, each of them JSON. */
export const frozenLines = (name: string): unknown[] =>
  (readFrozen(name) ?? '')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

/** `log-1`, `log-2` ...: the names of the frozen files that begin so, without their ending. */
export const frozenNames = (begin: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.startsWith(begin) && name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));

/**
 * The frozen files that had another content in some commit: a number in a file's name stands for one content, for ever. None where
 * there is no history, as in an archive of the sources.
 */
export function rewrittenFiles(repository = root): string[] {
  if (!existsSync(join(repository, '.git'))) return [];
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
  const contents = new Map<string, Set<string>>();
  const history = git('log', '--format=', '--raw', '--no-abbrev', '--no-renames', '-m', '--', folder);
  for (const [, hash = '', path = ''] of history.matchAll(/^:\S+ \S+ \S+ (\S+) \w\t(.*\.(?:jsonl|txt))$/gm))
    if (!/^0+$/.test(hash)) contents.set(path, (contents.get(path) ?? new Set()).add(hash));
  return [...contents]
    .filter(([path]) => statSync(join(repository, path), { throwIfNoEntry: false }) !== undefined)
    .filter(([path, known]) => known.add(git('hash-object', path).trim()).size > 1)
    .map(([path]) => path);
}
