import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { skipWithout } from '../servers/skip-without.js';
import { Program } from '../support/program.js';
import { documentFile } from '../support/reference.js';
import { companyId, startTestApp } from '../support/test-app.js';

/** A virtual environment with the generator: `bash .ci/python.sh FOLDER`. */
const { ROLLCALL_PYTHON_DIR: folder = '' } = process.env;
const python = join(folder, 'bin', 'python');
const skip = skipWithout(
  folder !== '' && existsSync(python)
    ? false
    : 'ROLLCALL_PYTHON_DIR names no folder that .ci/python.sh has made',
);

async function run(t: Test, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  const { code, out, err } = await new Program(args, { command: python, cwd, env, quiet: true }).ended;
  t.equal(code, 0, err);
  return out;
}

t.test('a generated Python client rehearses, sends, creates and reads', { skip }, async (t) => {
  const app = await startTestApp(t);
  const cwd = t.testdir();
  const document = fileURLToPath(documentFile);
  const generate = [
    '-m',
    'openapi_python_client',
    'generate',
    '--path',
    document,
    '--output-path',
    'generated',
  ];
  const said = await run(t, [...generate, '--fail-on-warning'], cwd);
  t.match(said, /^Generating generated\s*$/, 'without a warning');
  await cp(new URL('python/example.py', documentFile), join(cwd, 'generated', 'example.py'));
  await app.projected();
  const out = await run(t, ['example.py', app.url, app.token(), String(companyId)], join(cwd, 'generated'));
  t.equal(out, "1 Autumn pulse 3 ['A-17']\n");
});
