import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { folderOf, walk, type Import, type SourceFile } from './source-files.js';

const ours = '@rollcall/';

/** Which of our workspaces each workspace may import. Processes never import each other (docs/way-of-the-data.md). */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  'employee-lists': ['contracts'],
  domain: ['contracts', 'employee-lists'],
  application: ['contracts', 'employee-lists', 'domain'],
  adapters: ['contracts', 'employee-lists', 'domain', 'application'],
  host: ['contracts', 'employee-lists', 'domain', 'application', 'adapters'],
  api: ['contracts', 'employee-lists', 'domain', 'application', 'adapters', 'host'],
  projector: ['contracts', 'employee-lists', 'domain', 'application', 'adapters', 'host'],
  worker: ['contracts', 'employee-lists', 'domain', 'application', 'adapters', 'host'],
  cli: ['contracts', 'employee-lists', 'domain', 'application', 'adapters', 'host', 'projector'],
  'clients/typescript': [],
  standalone: [
    'contracts',
    'employee-lists',
    'domain',
    'application',
    'adapters',
    'host',
    'api',
    'projector',
    'worker',
  ],
  test: [
    'contracts',
    'employee-lists',
    'domain',
    'application',
    'adapters',
    'host',
    'api',
    'projector',
    'worker',
    'cli',
    'clients/typescript',
    'standalone',
  ],
};

export type Problem = string;
type Rule = (file: SourceFile) => Problem[];

/** The package an import takes from: `@rollcall/domain`, `lmdb`, `typebox` for `typebox/compile`. */
export const packageOf = (from: string): string =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');

/** Of the same workspace: a file, or what its package.json names (`#reader-module`). */
export const isRelative = (from: string): boolean => from.startsWith('.') || from.startsWith('#');

function leavesWorkspace(file: SourceFile, from: string): Problem[] {
  const home = file.workspace === 'test' ? 'test/' : `${file.workspace}/src/`;
  return normalize(join(dirname(file.path), from)).startsWith(home)
    ? []
    : [`${file.path} leaves its workspace: ${from}`];
}

/** Workspaces with a second surface, `read`, that is all the projector may have. */
const withoutAppend = ['application', 'adapters', 'host'];

function wrongArrow(file: SourceFile, { from }: Import): Problem[] {
  if (from === '?') return [`${file.path} imports a computed name`];
  if (isRelative(from)) return leavesWorkspace(file, from);
  return from.startsWith(ours) ? wrongSurface(file, from) : [];
}

const mayImport = (workspace: string, target: string): boolean =>
  arrows[workspace]?.includes(target) === true;

function wrongSurface(file: SourceFile, from: string): Problem[] {
  const target = folderOf(packageOf(from)) ?? '';
  const [, , surface] = from.split('/');
  if (!mayImport(file.workspace, target)) return [`${file.path} may not import ${from}`];
  const hasTwo = withoutAppend.includes(target);
  if (surface === undefined)
    return hasTwo && file.workspace === 'projector'
      ? [`${file.path} may have only what reads: ${from}/read`]
      : [];
  return surfacesOf(file, target).includes(from)
    ? []
    : [`${file.path} reaches past the public surface: ${from}`];
}

/** Those beside the first one: `testing` is what the tests of several workspaces share. */
const surfacesOf = ({ forTests }: SourceFile, target: string): string[] =>
  [
    ...(withoutAppend.includes(target) ? ['read'] : []),
    ...(target === 'employee-lists' ? ['set', 'text'] : []),
    ...(forTests ? ['testing'] : []),
  ].map((surface) => `${ours}${target}/${surface}`);

/** Imports follow the arrows, stay inside their workspace when relative, and use public surfaces only. */
export const followsArrows: Rule = (file) => file.imports.flatMap((taken) => wrongArrow(file, taken));

/** What pure code may take from Node: functions of their arguments, and nothing else. */
const pureNames: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'createHmac', 'hash'],
  'node:buffer': ['Buffer', 'isUtf8', 'isAscii'],
};
const impureGlobals = new Set([
  'process',
  'performance',
  'console',
  'fetch',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'WebSocket',
  'Worker',
  'Atomics',
  'Promise',
  'globalThis',
  'global',
  'require',
]);
const impureMembers = new Set(['Date.now', 'Math.random', 'Temporal.Now', 'performance.now']);
const awaiting = new Set([ts.SyntaxKind.AsyncKeyword, ts.SyntaxKind.AwaitKeyword]);

/** Whether an identifier stands for the global of that name, and is no member name or key. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  return !(ts.isPropertyAssignment(parent) && parent.name === node) && !ts.isPropertySignature(parent);
}

/** `new Date()` and `Date()` read the clock; with arguments `new Date` only converts. */
const readsClock = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) && !node.arguments?.length && node.expression.getText() === 'Date') ||
  (ts.isCallExpression(node) && node.expression.getText() === 'Date');

function impurity(node: ts.Node): string | undefined {
  if (awaiting.has(node.kind)) return node.getText();
  if (ts.isIdentifier(node) && impureGlobals.has(node.text) && isReference(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) && impureMembers.has(node.getText())) return node.getText();
  return readsClock(node) ? 'the clock' : undefined;
}

const impureImport = ({ from, names }: Import): boolean =>
  from.startsWith('node:') && !names.every((name) => pureNames[from]?.includes(name));

/** The domain and the engine below it have no clock, no randomness, no waiting and no input or output; all of these are arguments. */
export const isPure: Rule = (file) => {
  if (!['employee-lists', 'domain'].includes(file.workspace) || file.forTests) return [];
  const imports = file.imports.filter(impureImport).map(({ from, names }) => `${from} {${names.join(', ')}}`);
  const uses = [...walk(file.tree)].flatMap((node) => impurity(node) ?? []);
  return [...imports, ...uses].map((what) => `${file.path} is not pure: ${what}`);
};

const packagesThatAreNotIo = new Set([
  'typebox',
  'typebox/compile',
  'temporal-polyfill',
  'secure-json-parse',
  'uuid',
  'csv-parse',
]);

/** Contracts, employee-lists, domain and application take no package that could do input or output: no driver, no web framework. */
export const takesNoIo: Rule = (file) => {
  if (!['contracts', 'employee-lists', 'domain', 'application'].includes(file.workspace) || file.forTests)
    return [];
  return file.imports
    .map(({ from }) => from)
    .filter((from) => !isRelative(from) && !from.startsWith('node:') && !from.startsWith(ours))
    .filter((from) => !packagesThatAreNotIo.has(from))
    .map((from) => `${file.path} takes ${from}`);
};

const maxLines = 300;

/** Files are short and have kebab-case names. */
export const isTidy: Rule = (file) => {
  const lines = file.text.split('\n').length - 1;
  const name = file.path.split('/').at(-1) ?? '';
  return [
    ...(lines > maxLines ? [`${file.path} has ${lines} lines`] : []),
    ...(/^[a-z0-9]+([-.][a-z0-9]+)*\.ts$/.test(name) ? [] : [`${file.path} is not kebab-case`]),
  ];
};

/** Tests that are left out, or run alone, say nothing about the rest. */
export const runsAllTests: Rule = (file) =>
  [...walk(file.tree)]
    .filter(ts.isPropertyAccessExpression)
    .filter(
      ({ name, expression }) =>
        ['only', 'skip', 'todo'].includes(name.text) && /^(t|tap)$/.test(expression.getText()),
    )
    .map((node) => `${file.path} has ${node.getText()}`);

export const rules = { followsArrows, isPure, takesNoIo, isTidy, runsAllTests };
