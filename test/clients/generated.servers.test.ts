import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Imports } from '@rollcall/application';
import t, { type Test } from 'tap';
import { skipWithout } from '../servers/skip-without.js';
import { withMembers } from '../support/with-members.js';
import { Program } from '../support/program.js';
import { documentFile } from '../support/reference.js';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';

/** The generator and what its clients need: `bash .ci/clients.sh FOLDER`. */
const { ROLLCALL_CLIENTS_DIR: folder = '' } = process.env;
const version = '7.25.0';
const generator = join(folder, `generator-${version}.jar`);
const skip = skipWithout(
  folder !== '' && existsSync(generator)
    ? false
    : 'ROLLCALL_CLIENTS_DIR names no folder that .ci/clients.sh has made',
);

const story = [
  'rehearsed: 1 new, 0 gone',
  'sent: 1 new, 0 gone',
  'Successfully created 1, disabled 0 roles and locked 0 users.',
  'survey 1: Autumn pulse, 3 questions',
  'employee A-17: Ada Example, North',
  `200 PUT /v1.0/User/${companyId}/ManagerImport`,
  `200 PUT /v1.0/Company/${companyId}/Employee`,
];

// Programs of this project are built so too, which spares the standard library's second build.
const go = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-trimpath' };
const environment = { ...process.env, ...go, PATH: `${process.env['PATH'] ?? ''}:/usr/local/go/bin` };

/** Next to Ada, whom the programs send. */
async function addOther(t: Test, app: TestApp): Promise<void> {
  const path = `/v1.0/Company/${companyId}/Employee`;
  const [ada] = (await app.call('GET', path)).json as object[];
  const other = { ...ada, EmployeeID: 'B-1', Email: 'bo@example.com' };
  t.equal((await app.call('PUT', path, { body: [ada, other] })).status, 200);
  await app.projected();
}

async function run(t: Test, cwd: string, command: string, args: readonly string[]): Promise<string> {
  const { code, out, err } = await new Program(args, { command, cwd, env: environment, quiet: true }).ended;
  t.equal(code, 0, `${command} ${args[0] ?? ''}\n${err}`);
  return out;
}

/** The clients of all languages, made without options. */
async function generate(t: Test): Promise<string> {
  const cwd = t.testdir();
  const inputSpec = fileURLToPath(documentFile);
  const configs = ['go', 'java', 'python'].map((language) => `${language}.json`);
  for (const config of configs) {
    const generatorName = config.replace('.json', '');
    await writeFile(
      join(cwd, config),
      JSON.stringify({ generatorName, inputSpec, outputDir: generatorName }),
    );
  }
  await run(t, cwd, 'java', ['-jar', generator, 'batch', '--fail-fast', '--root-dir', cwd, ...configs]);
  return cwd;
}

interface Language {
  readonly example: string;
  /** Where the example stands in the generated client. */
  readonly at: string;
  /** What prepares the example, and what runs it. */
  readonly build?: (files: readonly string[]) => readonly [string, ...string[]];
  readonly start: readonly [string, ...string[]];
}

const javaPackages = join(folder, `java-${version}`, '*');
const languages: Readonly<Record<string, Language>> = {
  go: {
    example: 'main.go',
    at: 'example',
    build: () => ['go', 'build', '-o', 'example.bin', './example'],
    start: ['./example.bin'],
  },
  java: {
    example: 'Example.java',
    at: 'src/main/java',
    build: (files) => ['javac', '-nowarn', '-proc:none', '-cp', javaPackages, '-d', 'classes', ...files],
    start: ['java', '-cp', `classes:${javaPackages}`, 'Example'],
  },
  python: { example: 'example.py', at: '.', start: [join(folder, 'python/bin/python'), 'example.py'] },
};

async function javaFiles(cwd: string): Promise<string[]> {
  const entries = await readdir(cwd, { recursive: true });
  return entries.filter((file) => file.startsWith('src/main/') && file.endsWith('.java'));
}

t.test('clients generated without options', { skip }, async (t) => {
  const made = await generate(t);
  for (const [name, { example, at, build, start }] of Object.entries(languages))
    t.test(`${name}: rehearses, sends, creates and reads`, async (t) => {
      const cwd = join(made, name);
      await mkdir(join(cwd, at), { recursive: true });
      await cp(new URL(`${name}/${example}`, documentFile), join(cwd, at, example));
      if (build) {
        const [command, ...args] = build(await javaFiles(cwd));
        await run(t, cwd, command, args);
      }
      const previews: string[] = [];
      const wrapImports = (own: Imports): Imports =>
        withMembers(own, {
          accept: (sent) => {
            if (sent.ifPreview !== undefined) previews.push(sent.kind);
            return own.accept(sent);
          },
        });
      const app = await startTestApp(t, { wrapImports });
      const [command, ...args] = start;
      const call = [...args, app.url, app.token(), String(companyId)];
      const out = await run(t, cwd, command, call);
      t.same(out.trimEnd().split('\n'), story);
      t.same(previews, ['employees'], 'carries out what was rehearsed');

      await addOther(t, app);
      const options = { command, cwd, env: environment, quiet: true };
      const { code, err } = await new Program(call, options).ended;
      t.equal(code, 1, 'does not remove anybody unasked');
      t.match(err, /stopped: would remove 1; --remove allows it/);
      // The managers are there already, at which it stops.
      const { out: allowed } = await new Program([...call, '--remove'], options).ended;
      t.match(allowed, /sent: 0 new, 1 gone/);
    });
});
