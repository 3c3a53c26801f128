import { spawnSync } from 'node:child_process';
import tap from 'tap';
import { childEnv } from '../cli/rollcall.js';
import { freePort } from '../servers/free-port.js';
import { skipWithout } from '../servers/skip-without.js';
import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';

const worker = bundleOf('worker');

/** Util-linux's `script` gives a program a terminal. */
const hasTerminal = spawnSync('script', ['--version']).error === undefined;

const variables = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  METRICS_PORT: '0',
  TERM: 'xterm',
});

tap.test('what is logged is JSON where a program reads it', async (t) => {
  const running = new Program([worker], { env: childEnv(variables(t.testdir())) });
  await running.says(/The worker runs/);
  await running.stop();
  const line = running.lines.find((each) => each.startsWith('{')) ?? '';
  t.match(JSON.parse(line), { level: 30, msg: 'stopping', signal: 'SIGTERM' });
  t.notOk(running.out.includes('\u001b'), 'without colours');
});

tap.test(
  'and lines for people on a terminal',
  { skip: skipWithout(!hasTerminal && 'no script(1) here') },
  async (t) => {
    const command = `'${process.execPath}' '${worker}'`;
    const env = childEnv(variables(t.testdir()));
    const running = new Program(['-qefc', command, '/dev/null'], { command: 'script', env, stdin: true });
    await running.says(/The worker runs/);
    running.write('\u0003');
    const { out } = await running.ended;
    t.match(out, /\[\d\d:\d\d:\d\d\.\d{3}\].*INFO.*stopping/, 'to the last line');
    t.notMatch(out, /"level"/);
  },
);

tap.test('a full disk under its output ends no process, and delays no end', async (t) => {
  const port = String(await freePort());
  const redirected = `exec '${process.execPath}' '${bundleOf('standalone')}' >/dev/full`;
  const env = childEnv({ ...variables(t.testdir()), PORT: port, LOG_LEVEL: 'debug' });
  const running = new Program(['-c', redirected], { command: '/bin/sh', env, quiet: true });
  const status = (): Promise<number | undefined> =>
    fetch(`http://127.0.0.1:${port}/health/live`).then(
      (answer) => answer.status,
      () => undefined,
    );
  await until('it answers', async () => running.hasEnded || (await status()) !== undefined);
  for (let call = 0; call < 20; call += 1) t.equal(await status(), 200);
  running.signal('SIGTERM');
  t.match(await running.ended, { code: 0, err: '' });
});
