import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runFile } from './run-file.js';

const report = "process.stdout.write('# { total: 1, pass: 1 }\\n')";

/** Runs a file with such a text. */
const run = (folder: string, timeout = 60) => runFile(join(folder, 'file.mjs'), timeout);

t.test('a file is judged by what it says and how it ends', async (t) => {
  const good = await run(t.testdir({ 'file.mjs': report }));
  t.match(good, { passed: 1, failed: 0, skipped: 0, problems: '' });
  const silent = await run(t.testdir({ 'file.mjs': '' }));
  t.match(silent, { passed: 0, failed: 1 }, 'one that said nothing has failed');
  const late = await run(t.testdir({ 'file.mjs': `${report}; process.exitCode = 7` }));
  t.match(late, { passed: 1, failed: 1, problems: /ended with code 7/ });
});

t.test('a failure stands there with what it says, without the code around it', async (t) => {
  const lines = ['not ok 1 - one', '  ---', '  source: |', '    a.b();', '  ', '    --^', '', '  diff: more'];
  const said = [...lines, '  ...', '# { total: 1, fail: 1 }', ''].join('\n');
  const file = `process.stdout.write(${JSON.stringify(said)})`;
  const { problems, firstProblem } = await run(t.testdir({ 'file.mjs': file }));
  t.equal(firstProblem, 'not ok 1 - one');
  t.match(problems, /not ok 1 - one\n {2}---\n {2}diff: more\n/);
});

t.test('a process that a file leaves behind holds nobody up', async (t) => {
  const folder = t.testdir({
    'left.mjs': 'setInterval(() => undefined, 1_000)',
    'file.mjs': `
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const left = new URL('./left.mjs', import.meta.url).pathname;
      const child = spawn(process.execPath, [left], { stdio: 'inherit', detached: true });
      writeFileSync(new URL('./pid', import.meta.url), String(child.pid));
      child.unref();
      ${report};`,
  });
  const result = await run(folder);
  const left = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  t.teardown(() => process.kill(left, 'SIGKILL'));
  t.match(result, { passed: 1, failed: 0 });
  t.ok(process.kill(left, 0), 'it runs on');
});
