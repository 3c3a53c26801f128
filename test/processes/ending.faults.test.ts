import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { type Test } from 'tap';
import { childEnv } from '../cli/rollcall.js';
import { ChildProcess, entryOf, running, type Part } from '../servers/child-process.js';
import { Program } from '../support/program.js';

const preload = fileURLToPath(new URL('./exit-preload.js', import.meta.url));
const stuck = fileURLToPath(new URL('./stuck.js', import.meta.url));

/** Told to end once, and busy with it. */
async function ending(t: Test, closeWithinMs: number, ...more: string[]): Promise<Program> {
  const env = childEnv({ LOG_LEVEL: 'info', DATA_DIR: t.testdir() });
  const process = new Program(['--import', preload, stuck, String(closeWithinMs), ...more], {
    env,
    quiet: true,
  });
  await process.says(/It runs/);
  process.signal('SIGTERM');
  await process.says(/It ends/);
  return process;
}

const exitCalled = 'process.exit was called\n';

/** The levels of what it logged; pino's error is 50. */
const levels = (out: string): number[] =>
  out.split('\n').flatMap((line) => (line.startsWith('{') ? [Number(/"level":(\d+)/.exec(line)?.[1])] : []));

tap.test(
  'what has not ended in time is left: exit code 0, and nothing that looks like a fault',
  async (t) => {
    const { code, signal, out, err } = await (await ending(t, 100)).ended;
    t.same([code, signal, err], [0, null, exitCalled]);
    t.same(levels(out), [30, 40]);
    t.match(out, /what was still under way is left/);
  },
);

tap.test('a second signal ends it at once, and is no fault either', async (t) => {
  const process = await ending(t, 600_000);
  process.signal('SIGTERM');
  const { code, signal, out, err } = await process.ended;
  t.same([code, signal, err], [0, null, exitCalled]);
  t.same(levels(out).sort(), [30, 40], 'the second may be told of first');
  t.match(out, /stopped at once/);
});

tap.test('what has closed all and has something open nevertheless ends too', async (t) => {
  const { code, signal, out, err } = await (await ending(t, 600_000, 'closes')).ended;
  t.same([code, signal, err], [0, null, exitCalled]);
  t.same(levels(out), [30]);
});

tap.test('every part ends of itself: an exit may wait for ever for one of the threads of V8', async (t) => {
  const parts: readonly Part[] = ['standalone', 'api', 'projector', 'worker'];
  const ends = async (part: Part): Promise<readonly [number | null, string]> => {
    const dataDir = join(t.testdirName, part);
    const child = new ChildProcess({ dataDir, entry: entryOf(part), preload, env: { METRICS_PORT: '0' } });
    t.teardown(() => child.kill());
    await child.says(running[part]);
    return [await child.stop(), child.errors];
  };
  t.testdir();
  t.same(
    await Promise.all(parts.map(ends)),
    parts.map(() => [0, '']),
  );
});
