import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { skipWithout } from '../servers/skip-without.js';
import { Program } from '../support/program.js';
import { documentFile } from '../support/reference.js';
import { companyId, startTestApp } from '../support/test-app.js';

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

async function run(t: Test, cwd: string, command: string, args: readonly string[]): Promise<string> {
  // Programs of this project are built so too, which spares the standard library's second build.
  const go = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-trimpath' };
  const env = { ...process.env, ...go, PATH: `${process.env['PATH'] ?? ''}:/usr/local/go/bin` };
  const { code, out, err } = await new Program(args, { command, cwd, env, quiet: true }).ended;
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
      const app = await startTestApp(t);
      const [command, ...args] = start;
      const out = await run(t, cwd, command, [...args, app.url, app.token(), String(companyId)]);
      t.same(out.trimEnd().split('\n'), story);
    });
});
