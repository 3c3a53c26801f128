import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { root } from './test-files.js';

const runs = (last: string): string =>
  [...Array<string>(3).fill('2 passed, 0 failed, 0 skipped'), last].join('\n');

t.test('CI fails by what the runs say in sum', async (t) => {
  const summary = (
    totals: string,
    required: string | undefined,
    containers = '1 passed, 0 failed, 1 skipped',
  ): [number | null, string | undefined] => {
    const folder = t.testdir({ totals, containers });
    const files = ['totals', 'containers'].map((name) => join(folder, name));
    const env = { ...process.env, TEST_SERVERS: required };
    const { status, stdout } = spawnSync(process.execPath, [join(root, '.ci/summary.js'), ...files], {
      env,
      encoding: 'utf8',
    });
    return [status, stdout.trim()];
  };
  const whole = runs('2 passed, 0 failed, 0 skipped');
  const withSkips = runs('2 passed, 0 failed, 7 skipped');
  t.strictSame(
    summary(whole, 'required'),
    [0, '9 passed, 0 failed, 1 skipped'],
    'an engine that does not start is seen',
  );
  t.strictSame(
    summary(withSkips, 'required'),
    [1, '9 passed, 0 failed, 8 skipped'],
    'nothing may be skipped',
  );
  t.strictSame(summary(withSkips, undefined), [0, '9 passed, 0 failed, 8 skipped'], 'it may elsewhere');
  t.strictSame(summary(runs('1 passed, 1 failed, 0 skipped'), undefined), [
    1,
    '8 passed, 1 failed, 1 skipped',
  ]);
  t.strictSame(summary('2 passed, 0 failed, 0 skipped', undefined), [1, '3 passed, 3 failed, 1 skipped']);
});
