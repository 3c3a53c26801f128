import { fileURLToPath } from 'node:url';
import tap, { type Test } from 'tap';
import { childEnv } from '../cli/rollcall.js';
import { Program } from '../support/program.js';

const stuck = fileURLToPath(new URL('./stuck.js', import.meta.url));

/** Told to end once, and busy with it. */
async function ending(t: Test, closeWithinMs: number): Promise<Program> {
  const env = childEnv({ LOG_LEVEL: 'info', DATA_DIR: t.testdir() });
  const process = new Program([stuck, String(closeWithinMs)], { env });
  await process.says(/It runs/);
  process.signal('SIGTERM');
  await process.says(/It ends/);
  return process;
}

/** The levels of what it logged; pino's error is 50. */
const levels = (out: string): number[] =>
  out.split('\n').flatMap((line) => (line.startsWith('{') ? [Number(/"level":(\d+)/.exec(line)?.[1])] : []));

tap.test(
  'what has not ended in time is left: exit code 0, and nothing that looks like a fault',
  async (t) => {
    const { code, signal, out, err } = await (await ending(t, 100)).ended;
    t.same([code, signal, err], [0, null, '']);
    t.same(levels(out), [30, 40]);
    t.match(out, /what was still under way is left/);
  },
);

tap.test('a second signal ends it at once, and is no fault either', async (t) => {
  const process = await ending(t, 600_000);
  process.signal('SIGTERM');
  const { code, signal, out, err } = await process.ended;
  t.same([code, signal, err], [0, null, '']);
  t.same(levels(out).sort(), [30, 40], 'the second may be told of first');
  t.match(out, /stopped at once/);
});
