import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import tap from 'tap';
import { allSourceFiles, root } from './source-files.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('docs')];

const clientPages = ['clients/README.md', 'clients/typescript/README.md'];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

const headings = (path: string): string[] =>
  [...withoutCode(read(path)).matchAll(/^#+ (?<text>.+)$/gm)].map((match) => match.groups?.['text'] ?? '');

/** As the usual renderers name the place of a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

/** What a page calls by name: its headings, the first cells of its tables, and what begins a paragraph in bold. */
const namedIn = (path: string): string[] => [
  ...headings(path),
  ...[...read(path).matchAll(/^\| *(?<cell>[^|]+?) *\|/gm)].map((match) => match.groups?.['cell'] ?? ''),
  ...[...read(path).matchAll(/^\*\*(?<bold>[^*]+?)\.?\*\*/gm)].map((match) => match.groups?.['bold'] ?? ''),
];

const comments = allSourceFiles().map(({ path, text }) => ({
  path,
  text: text.replace(/\n\s*(\*|\/\/) ?/g, ' '),
}));

tap.test('each section that a comment names is there', async (t) => {
  const sections = new Set(headings('docs/way-of-the-data.md'));
  let named = 0;
  for (const { path, text } of comments)
    for (const match of text.matchAll(/\(?design: "(?<name>[A-Z][^"]+)"/g)) {
      named += 1;
      t.ok(sections.has(match.groups?.['name'] ?? ''), `${path}: ${match[0]}`);
    }
  t.ok(named > 10, `${named} were looked at`);
});

tap.test('each section of the interface that a comment names is there', async (t) => {
  const [, partOne = ''] = read('docs/contract.md').split(/^## Part .*$/m);
  let named = 0;
  for (const { path, text } of comments)
    for (const [said, name = ''] of text.matchAll(/\binterface\.md[^"`]{0,30}"([^"`]+)"/g)) {
      named += 1;
      t.match(partOne, `\n### ${name}\n`, `${path}: ${said}`);
    }
  t.ok(named > 10, `${named} were looked at`);
});

tap.test('each point of a page that a comment names is there', async (t) => {
  for (const { path, text } of comments)
    for (const match of text.matchAll(/\bdocs\/(?!decisions,)(?<page>[a-z-]+)(?:\.md)?, "(?<name>[^"]+)"/g)) {
      const page = `docs/${match.groups?.['page'] ?? ''}.md`;
      if (!t.ok(existsSync(join(root, page)), `${path}: ${page}`)) continue;
      const name = match.groups?.['name'] ?? '';
      const found = namedIn(page).some((one) => one.replaceAll('`', '').includes(name));
      t.ok(found, `${path}: ${page} has ${name}`);
    }
});

/** What is wrong with a relative link; undefined where it leads somewhere. */
function linkProblem(page: string, to: string): string | undefined {
  const [file = '', place] = to.split('#');
  const target = file === '' ? page : normalize(join(dirname(page), file));
  if (!existsSync(join(root, target))) return `${page}: ${to} is not there`;
  if (place === undefined || headings(target).map(anchor).includes(place)) return undefined;
  return `${page}: ${target} has no heading ${place}`;
}

tap.test('each relative link leads somewhere', async (t) => {
  const links = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?<to>[^)\s]+)\)/g)].map(
      (match) => [page, match.groups?.['to'] ?? ''] as const,
    ),
  );
  const relative = links.filter(([, to]) => !/^[a-z]+:/.test(to));
  t.ok(relative.length > 20, `${relative.length} were followed`);
  t.strictSame(
    relative.flatMap(([page, to]) => linkProblem(page, to) ?? []),
    [],
  );
  t.ok(linkProblem('README.md', 'docs/none.md'), 'a missing page is seen');
  t.ok(linkProblem('README.md', 'docs/contract.md#none'), 'a missing heading is seen');
});

tap.test('the runbook of each alert is there', async (t) => {
  const rules = 'deploy/prometheus/rules.yml';
  const runbooks = [...read(rules).matchAll(/runbook_url: https:\/\/[^/]+\/(?<to>\S+)/g)];
  t.ok(runbooks.length > 20, `${runbooks.length} were followed`);
  t.strictSame(
    runbooks.flatMap(({ groups }) => linkProblem(rules, `../../${groups?.['to'] ?? ''}`) ?? []),
    [],
  );
});

/** Whether it is written as a path of the repository: it begins with one of its folders, and has no placeholder. */
function isPath(text: string): boolean {
  const [folder = ''] = text.split('/');
  if (text === 'application/json' || ['.', 'data', 'dist', 'node_modules'].includes(folder)) return false;
  return /^[\w.@-]+(?:\/[\w.@-]+)+$/.test(text) && existsSync(join(root, folder));
}

tap.test('each path of the repository that a page names is there', async (t) => {
  // A decision record keeps the names of its day.
  const current = pages.filter((page) => !page.startsWith('docs/decisions/'));
  const named = current.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/`(?<path>[^`\s]+)`/g)].map(
      (match) => [page, match.groups?.['path'] ?? ''] as const,
    ),
  );
  const paths = named.filter(([, path]) => isPath(path));
  t.ok(paths.length > 50, `${paths.length} were looked for`);
  t.strictSame(
    paths.filter(([, path]) => !existsSync(join(root, path))),
    [],
  );
});

tap.test('each folder of the tests and each workspace is described', async (t) => {
  const folders = readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['dist', 'node_modules'].includes(entry.name))
    .map(({ name }) => name);
  for (const folder of folders) t.ok(read('docs/development.md').includes(`- \`test/${folder}\`: `), folder);
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  for (const workspace of workspaces)
    t.ok(read('docs/way-of-the-data.md').includes(`| \`${workspace}\``), workspace);
});

tap.test('a line of a page has at most 140 columns', async (t) => {
  const wide = [...pages, ...clientPages].flatMap((page) =>
    read(page)
      .split('\n')
      .flatMap((line, index) => (Array.from(line).length > 140 ? [`${page}:${index + 1}`] : [])),
  );
  t.strictSame(wide, []);
});

/** Of all pages together. A word has a letter or a digit: the lines of a table are none. */
const maxWords = 35_000;

tap.test('the pages stay short enough to be read', async (t) => {
  const text = [...pages, ...clientPages].map(read).join('\n');
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  t.ok(words <= maxWords, `${words} words`);
  t.ok(read('README.md').trimEnd().split('\n').length <= 200, 'the README has at most 200 lines');
});
