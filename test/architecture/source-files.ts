import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The repository's root; this file runs from test/dist/architecture. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export const manifest = (workspace = ''): Manifest =>
  JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')) as Manifest;
export const workspaces: readonly string[] = manifest().workspaces ?? [];
const folders = new Map(workspaces.map((workspace) => [manifest(workspace).name ?? '', workspace]));

/** The folder of one of our packages; undefined for another's. */
export const folderOf = (packageName: string): string | undefined => folders.get(packageName);

/** Folder names of the workspaces that a workspace's tsconfig refers to. */
export const references = (workspace: string): string[] => {
  const { config } = ts.readConfigFile(join(root, workspace, 'tsconfig.json'), (path) =>
    readFileSync(path, 'utf8'),
  ) as {
    config: { references?: { path: string }[] };
  };
  return (config.references ?? []).map(({ path }) => path.replace('../', ''));
};

export interface Import {
  /** As written: `./port.js`, `@rollcall/domain`, `node:fs`, `lmdb`. */
  readonly from: string;
  /** Names taken, by their names at home; `*` for the whole. */
  readonly names: readonly string[];
  readonly typeOnly: boolean;
}

export interface SourceFile {
  readonly workspace: string;
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
  /** A spec or its helpers: not part of what the workspace ships. */
  readonly forTests: boolean;
}

/** Every node below this one, itself included. */
export function* walk(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* walk(child);
}

const namesOf = (clause: ts.ImportClause | undefined): string[] => {
  if (!clause) return ['*'];
  const { namedBindings } = clause;
  const named =
    namedBindings && ts.isNamedImports(namedBindings)
      ? namedBindings.elements.map((element) => (element.propertyName ?? element.name).text)
      : namedBindings
        ? ['*']
        : [];
  return clause.name ? ['default', ...named] : named;
};

const textOf = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteral(node) ? node.text : undefined;

const typeImport = (node: ts.ImportTypeNode): Import => {
  const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  return { from: textOf(literal) ?? '?', names: ['*'], typeOnly: true };
};

/** `import ... from 'x'`, `export ... from 'x'`, and the type `import('x').T`. */
function declaredImport(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { from: textOf(node.moduleSpecifier) ?? '?', names: namesOf(node.importClause), typeOnly };
  }
  if (ts.isImportTypeNode(node)) return typeImport(node);
  const from = ts.isExportDeclaration(node) ? textOf(node.moduleSpecifier) : undefined;
  return from === undefined ? undefined : { from, names: ['*'], typeOnly: false };
}

/** `import('x')`, `require('x')`, `import.meta.resolve('x')`. */
function calledImport(node: ts.Node): Import | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [argument] = node.arguments;
  const callee = node.expression;
  const loads =
    callee.kind === ts.SyntaxKind.ImportKeyword ||
    ['require', 'import.meta.resolve'].includes(callee.getText());
  if (!loads || !argument) return undefined;
  // A computed name could be anything: no rule allows it.
  return { from: textOf(argument) ?? '?', names: ['*'], typeOnly: false };
}

/** Reads one file as the rules see it; `text` may be invented, to test a rule. */
export function sourceFile(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const imports = [...walk(tree)].flatMap((node) => declaredImport(node) ?? calledImport(node) ?? []);
  const forTests = /\.(spec|test|testing)\.ts$|\/testing\//.test(path) || path.startsWith('test/');
  return {
    workspace: workspaces.find((workspace) => path.startsWith(`${workspace}/`)) ?? path.split('/')[0] ?? '',
    path,
    text,
    tree,
    imports,
    forTests,
  };
}

/** Nobody writes it: it is made from the OpenAPI document. */
const generated = 'clients/typescript/src/schema.ts';

/** All TypeScript sources of the workspaces, but what is generated. */
export function allSourceFiles(): SourceFile[] {
  return workspaces.flatMap((workspace) => {
    const folder = join(root, workspace, workspace === 'test' ? '' : 'src');
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((path) => !path.includes('/dist/') && !path.includes('/node_modules/') && path !== generated)
      .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')));
  });
}
