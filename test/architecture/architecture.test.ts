import tap from 'tap';
import { reading } from './reading.js';
import { folderIn, rings } from './rings.js';
import { arrows, isRelative, packageOf, rules } from './rules.js';
import { allSourceFiles, folderOf, manifest, references, sourceFile, workspaces } from './source-files.js';
import { exactly } from '../support/exactly.js';

const files = allSourceFiles();

tap.test('every source file', async (t) => {
  t.ok(files.length > 50, `${files.length} files were read`);
  for (const [name, rule] of Object.entries(rules)) t.strictSame(files.flatMap(rule), [], name);
});

tap.test('no files import each other in a ring, types included', async (t) => {
  t.strictSame(rings(files.filter(({ forTests }) => !forTests)), []);
  const invented = [
    sourceFile('api/src/a.ts', "import type { b } from './b.js';"),
    sourceFile('api/src/b.ts', "import { a } from './x/c.js';"),
    sourceFile('api/src/x/c.ts', "export * from '../a.js';"),
  ];
  t.equal(rings(invented).length, 1, 'a ring is seen');
});

tap.test('no folders of a workspace import each other in a ring, types included', async (t) => {
  t.strictSame(
    rings(
      files.filter(({ forTests }) => !forTests),
      folderIn,
    ),
    [],
  );
  const invented = [
    sourceFile('api/src/a/b.ts', "import type { d } from '../c/d.js';"),
    sourceFile('api/src/a/e.ts', 'export const e = 1;'),
    sourceFile('api/src/c/x/d.ts', "import { e } from '../../a/e.js';"),
    sourceFile('api/src/index.ts', "export * from './a/b.js';"),
  ];
  t.strictSame(rings(invented, folderIn), ['api/src/a -> api/src/c -> api/src/a'], 'a ring is seen');
});

tap.test('the projector can read and cannot append', async (t) => {
  t.match(reading("export { decideAndAppend } from '@rollcall/application/read';"), exactly([/TS2305/]));
  const log =
    "import type { ReadingAdapters } from '@rollcall/adapters/read';\ndeclare const a: ReadingAdapters;\n";
  t.match(
    reading(`${log}export const p: string = a.log.readLast('x');`),
    exactly([/TS2322/]),
    'the log has its type',
  );
  t.match(reading(`${log}a.log.append('x', 'no-stream', []);`), exactly([/TS2339/]), 'which has no append');
});

/** Nothing of the tests belongs to what is installed to run: `npm ci --omit=dev`. */
const declaredBy = (workspace: string): Readonly<Record<string, string>> =>
  (workspace === 'test' ? manifest(workspace).devDependencies : manifest(workspace).dependencies) ?? {};

tap.test('every workspace', async (t) => {
  t.strictSame([...workspaces].sort(), Object.keys(arrows).sort(), 'has its arrows');
  for (const workspace of workspaces) {
    const declared = Object.keys(declaredBy(workspace));
    const own = declared.flatMap((name) => folderOf(name) ?? []);
    t.strictSame(
      own.filter((name) => !arrows[workspace]?.includes(name)),
      [],
      `${workspace} depends along the arrows`,
    );
    t.strictSame(references(workspace).sort(), own.sort(), `${workspace} refers to what it depends on`);

    // What tests take is asked below.
    if (workspace === 'test') continue;
    const taken = files
      .filter((file) => file.workspace === workspace && !file.forTests)
      .flatMap((file) => file.imports.map(({ from }) => from))
      .filter((from) => !isRelative(from) && !from.startsWith('node:'))
      .map(packageOf);
    t.strictSame(
      [...new Set(taken)].filter((name) => !declared.includes(name)),
      [],
      `${workspace} declares what it takes`,
    );
    const idle = declared.filter((name) => !name.startsWith('@rollcall/') && !taken.includes(name));
    t.strictSame(idle, [], `${workspace} takes what it declares`);
  }
});

tap.test('tests take what the root declares', async (t) => {
  const declared = new Set(Object.keys(manifest().devDependencies ?? {}));
  const taken = files
    .filter(({ forTests }) => forTests)
    .flatMap((file) =>
      file.imports
        .filter(({ from }) => !isRelative(from) && !/^(node:|@rollcall\/)/.test(from))
        .filter(({ from }) => !(packageOf(from) in declaredBy(file.workspace)))
        .filter(({ from }) => !declared.has(packageOf(from)))
        .map(({ from }) => `${file.path}: ${from}`),
    );
  t.strictSame(taken, []);
});

tap.test('a rule sees what it forbids', async (t) => {
  const problems = (path: string, text: string): string[] => {
    const file = sourceFile(path, text);
    return Object.values(rules).flatMap((rule) => rule(file));
  };
  const forbidden: readonly (readonly [path: string, text: string])[] = [
    ['contracts/src/a.ts', "import { x } from '@rollcall/domain';"],
    ['domain/src/a.ts', "export * from '@rollcall/adapters';"],
    ['api/src/a.ts', "import type { x } from '@rollcall/projector';"],
    ['projector/src/a.ts', "const x = await import('@rollcall/api');"],
    ['cli/src/a.ts', "type X = import('@rollcall/standalone').X;"],
    ['standalone/src/a.ts', "import '@rollcall/cli';"],
    ['api/src/a.ts', "import { x } from '@rollcall/domain/dist/x.js';"],
    ['api/src/a.ts', "import { x } from '../../domain/src/x.js';"],
    ['api/src/a.ts', 'const name = `x`; await import(name);'],
    ['domain/src/a.ts', "import { readFileSync } from 'node:fs';"],
    ['domain/src/a.ts', "import { randomUUID } from 'node:crypto';"],
    ['domain/src/a.ts', "import * as hashing from 'node:crypto';"],
    ['domain/src/a.ts', "import mongodb from 'mongodb';"],
    ['application/src/a.ts', "import type { FastifyRequest } from 'fastify';"],
    ['application/src/a.ts', "import { x } from '@rollcall/adapters';"],
    ['domain/src/a.ts', 'const now = Date.now();'],
    ['domain/src/a.ts', 'const now = new Date();'],
    ['domain/src/a.ts', 'const now = Temporal.Now.instant();'],
    ['domain/src/a.ts', 'const luck = Math.random();'],
    ['domain/src/a.ts', 'export const f = async () => 1;'],
    ['domain/src/a.ts', 'const f = (p: PromiseLike<number>) => { void Promise.resolve(p); };'],
    ['domain/src/a.ts', 'const host = process.env.HOST;'],
    ['projector/src/a.ts', "import { decideAndAppend } from '@rollcall/application';"],
    ['projector/src/a.ts', "import type { Adapters } from '@rollcall/adapters';"],
    ['projector/src/a.ts', "import { openImports } from '@rollcall/host';"],
    ['adapters/src/a.ts', "import { readEnvironment } from '@rollcall/host';"],
    ['api/src/a.ts', "import { x } from '@rollcall/domain/read';"],
    ['api/src/a.ts', "import { x } from '@rollcall/employee-lists/testing';"],
    ['employee-lists/src/a.ts', "import { x } from '@rollcall/domain';"],
    ['employee-lists/src/a.ts', 'const now = Date.now();'],
    ['api/src/BadName.ts', ''],
    ['api/src/a.ts', '\n'.repeat(301)],
    ['test/flows/a.test.ts', "tap.only('x', () => {});"],
  ];
  for (const [path, text] of forbidden) t.equal(problems(path, text).length, 1, `${path}: ${text.trim()}`);

  const allowed: readonly (readonly [path: string, text: string])[] = [
    [
      'domain/src/a.ts',
      "import { createHash } from 'node:crypto'; const d = new Date('2026-01-01T00:00:00Z');",
    ],
    ['domain/src/a.ts', 'const state = { process: 1 }; const x = state.process;'],
    ['projector/src/a.ts', "import { LogCorrupt } from '@rollcall/application/read';"],
    ['projector/src/a.ts', "import { runProcess } from '@rollcall/host/read';"],
    ['test/bench/a.ts', "import { x } from '@rollcall/employee-lists/testing';"],
    ['api/src/a.ts', "import { x } from '@rollcall/employee-lists/text';"],
    ['domain/src/a.spec.ts', "import fc from 'fast-check'; const luck = Math.random();"],
    ['api/src/http/a.ts', "import { x } from '../routes/x.js'; import { y } from '@rollcall/adapters';"],
  ];
  for (const [path, text] of allowed) t.strictSame(problems(path, text), [], `${path}: ${text}`);
});
