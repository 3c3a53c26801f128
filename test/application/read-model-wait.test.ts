import { ReadModelsUnavailable, ReadModelWait, type Written } from '@rollcall/application';
import t from 'tap';

const written = (position: bigint, change: Partial<Written> = {}): Written => ({
  stream: 'company-7',
  revision: Number(position),
  position,
  bytes: 300,
  ...change,
});

/** Read models that stand where the test says; a wait is over when the test says so. */
function standing() {
  const looks: { position: bigint; timeoutMs: number; stream?: string; revision?: number }[] = [];
  let at = 0n;
  let end: () => void = () => undefined;
  const reached = async (
    position: bigint,
    timeoutMs: number,
    awaited?: { stream: string; revision?: number },
  ): Promise<boolean> => {
    looks.push({ ...awaited, position, timeoutMs });
    if (timeoutMs > 0 && at < position) await new Promise<void>((resolve) => (end = resolve));
    return at >= position;
  };
  const moveTo = (position: bigint): void => {
    at = position;
    end();
  };
  return { looks, wait: new ReadModelWait({ reached }), moveTo, timeOut: () => end() };
}

/** Whether it is over without anything else having to happen. */
async function isOver(waiting: Promise<void>): Promise<boolean> {
  let over = false;
  void waiting.then(() => (over = true));
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

t.test('a call waits until it is shown, for its own stream and event', async (t) => {
  const { looks, wait, moveTo } = standing();
  const waiting = wait.until(written(5n));
  t.notOk(await isOver(waiting));
  moveTo(5n);
  await waiting;
  t.match(looks, [{ position: 5n, timeoutMs: 1_000, stream: 'company-7', revision: 5 }]);
});

t.test('several at once wait, each behind the others', async (t) => {
  const { wait, moveTo } = standing();
  const first = wait.until(written(5n));
  t.notOk(await isOver(first));
  moveTo(5n);
  const second = wait.until(written(6n));
  t.notOk(await isOver(second), 'a few small events are waited for');
  moveTo(6n);
  await Promise.all([first, second]);
});

t.test('what cannot be shown in the time is not waited for', async (t) => {
  const { looks, wait } = standing();
  t.ok(await isOver(wait.until(written(5n, { bytes: 50_000_000 }))));
  t.strictSame(looks, []);
});

t.test(
  'what one call has waited for in vain no other waits for, until the read models have come there',
  async (t) => {
    const { looks, wait, moveTo, timeOut } = standing();
    const first = wait.until(written(5n));
    t.notOk(await isOver(first));
    timeOut();
    await first;
    t.ok(await isOver(wait.until(written(6n))), 'they stand where they stood');
    t.match(looks.at(-1), { position: 5n, timeoutMs: 0, stream: 'company-7', revision: 6 });
    moveTo(5n);
    const later = wait.until(written(7n));
    t.notOk(await isOver(later), 'they move again');
    moveTo(7n);
    await later;
  },
);

t.test('an event of some size that takes its time says nothing of the others', async (t) => {
  const { wait, moveTo, timeOut } = standing();
  const large = wait.until(written(5n, { bytes: 2_000_000 }));
  t.notOk(await isOver(large));
  timeOut();
  await large;
  const small = wait.until(written(6n));
  t.notOk(await isOver(small));
  moveTo(6n);
  await small;
});

t.test('read models that are away are not waited for', async () => {
  const away = new ReadModelWait({ reached: () => Promise.reject(new ReadModelsUnavailable('away')) });
  await away.until(written(5n));
});
