import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

export type Group = 'quick' | 'faults' | 'image' | 'page';

/**
 * Tests that kill, crash or flood are `*.faults.test`, those that need servers `*.servers.test`, a Docker engine `*.image.test`, a browser
 * `*.page.test`. */
function groupOf(file: string): Group {
  if (file.endsWith('.image.test.js')) return 'image';
  if (file.endsWith('.page.test.js')) return 'page';
  return /\.(faults|servers)\.test\.js$/.test(file) ? 'faults' : 'quick';
}

/** What begins last would otherwise be waited for at the end. The longest first; the others follow in their own order. */
const longestNames: readonly string[] = [
  'servers/flows.servers.test.js',
  'faults/outages.servers.test.js',
  'faults/kill.faults.test.js',
  'processes/mains.faults.test.js',
  'standalone/first-run.test.js',
  'standalone/story.test.js',
  'faults/switches.faults.test.js',
  'order/order.faults.test.js',
  'flows/imports.queued.test.js',
  'flows/imports.idempotency.test.js',
  'standalone/refusals.test.js',
  'flows/imports.if-match.test.js',
  'flows/employees-put.test.js',
  'flows/http-rules.bodies.test.js',
  'invitations/once.faults.test.js',
  'conformance/queue.embedded.test.js',
  'flows/imports.worker.test.js',
  'cli/administration.test.js',
  'cli/audit.test.js',
];
const longest = longestNames.map((name) => join('test/dist', name));

/** A file that was renamed or is gone would lose its place unnoticed. */
function checkNames(names: readonly string[]): void {
  const gone = names.filter((name) => !existsSync(join(root, 'test', name.replace(/\.js$/, '.ts'))));
  if (gone.length === 0) return;
  throw new Error(`test/runner/test-files.ts names what is no file: ${gone.join(', ')}. Mend its list.`);
}

function rankOf(file: string): number {
  const place = longest.indexOf(file);
  return place < 0 ? longest.length : place;
}

/** Whether the file has a source: `tsc` leaves behind what it once built. */
function isCurrent(file: string): boolean {
  const [workspace = '', , ...rest] = file.replace(/\.js$/, '.ts').split(sep);
  return [rest, ['src', ...rest]].some((parts) => existsSync(join(root, workspace, ...parts)));
}

let everyFile: readonly string[] | undefined;

/** The built spec and test files that `name` is a part of, of every group. */
export function filesNamed(name: string): string[] {
  everyFile ??= (['quick', 'faults', 'image', 'page'] as const).flatMap(testFiles);
  return everyFile.filter((file) => file.includes(name));
}

/** The built spec and test files of a group, relative to the repository, the longest first; throws where the list of the longest is out of date. */
export function testFiles(group: Group): string[] {
  checkNames(longestNames);
  const workspaces = readdirSync(root).filter((folder) => existsSync(join(root, folder, 'dist')));
  return workspaces
    .flatMap((folder) =>
      readdirSync(join(root, folder, 'dist'), { recursive: true, encoding: 'utf8' }).map((file) =>
        relative(root, join(root, folder, 'dist', file)),
      ),
    )
    .filter((file) => /\.(spec|test)\.js$/.test(file) && groupOf(file) === group && isCurrent(file))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}

/** The built suites that need servers, as `filesNamed` knows them. */
export const serverSuites = (): string[] =>
  testFiles('faults').filter((file) => file.endsWith('.servers.test.js'));
