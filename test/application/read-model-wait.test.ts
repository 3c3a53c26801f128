import { ReadModelsUnavailable, ReadModelWait, type Written } from '@rollcall/application';
import t from 'tap';

const written = (revision: number, change: Partial<Written> = {}): Written => ({
  stream: 'company-7',
  revision,
  bytes: 300,
  ...change,
});

/** Read models that stand where the test says, all streams alike; a wait is over when the test says so. */
function standing() {
  const looks: { stream: string; revision: number; timeoutMs: number }[] = [];
  let at = 0;
  let end: () => void = () => undefined;
  const reached = async (stream: string, revision: number, timeoutMs: number): Promise<boolean> => {
    looks.push({ stream, revision, timeoutMs });
    if (timeoutMs > 0 && at < revision) await new Promise<void>((resolve) => (end = resolve));
    return at >= revision;
  };
  const moveTo = (revision: number): void => {
    at = revision;
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
  const waiting = wait.until(written(5));
  t.notOk(await isOver(waiting));
  moveTo(5);
  await waiting;
  t.strictSame(looks, [{ stream: 'company-7', revision: 5, timeoutMs: 1_000 }]);
});

t.test('several at once wait, each behind the others', async (t) => {
  const { wait, moveTo } = standing();
  const first = wait.until(written(5));
  t.notOk(await isOver(first));
  moveTo(5);
  const second = wait.until(written(6));
  t.notOk(await isOver(second), 'a few small events are waited for');
  moveTo(6);
  await Promise.all([first, second]);
});

t.test('what cannot be shown in the time is not waited for', async (t) => {
  const { looks, wait } = standing();
  t.ok(await isOver(wait.until(written(5, { bytes: 50_000_000 }))));
  t.strictSame(looks, []);
});

t.test(
  'what one call has waited for in vain no other waits for, until the read models have come there',
  async (t) => {
    const { looks, wait, moveTo, timeOut } = standing();
    const first = wait.until(written(5));
    t.notOk(await isOver(first));
    timeOut();
    await first;
    t.ok(await isOver(wait.until(written(6))), 'they stand where they stood');
    t.strictSame(looks.at(-1), { stream: 'company-7', revision: 5, timeoutMs: 0 });
    moveTo(5);
    const later = wait.until(written(7));
    t.notOk(await isOver(later), 'they move again');
    moveTo(7);
    await later;
  },
);

t.test('behind what cannot be shown in the time nobody waits on the same stream', async (t) => {
  const { wait, moveTo } = standing();
  await wait.until(written(5, { bytes: 50_000_000 }));
  t.ok(await isOver(wait.until(written(6))));
  const other = wait.until(written(6, { stream: 'company-8' }));
  t.notOk(await isOver(other), 'other streams are not behind it');
  moveTo(6);
  await other;
  const later = wait.until(written(7));
  t.notOk(await isOver(later));
  moveTo(7);
  await later;
});

t.test('read models that are away are not waited for', async () => {
  const away = new ReadModelWait({ reached: () => Promise.reject(new ReadModelsUnavailable('away')) });
  await away.until(written(5));
});

t.test(
  'a look at read models that do not answer is bounded, and nobody looks again for a moment',
  async (t) => {
    let now = 0;
    let looks = 0;
    let answers = true;
    const never = new Promise<boolean>(() => undefined);
    const reached = (_stream: string, _revision: number, timeoutMs: number): Promise<boolean> => {
      looks += 1;
      return answers || timeoutMs > 0 ? Promise.resolve(answers) : never;
    };
    const wait = new ReadModelWait({ reached }, { waitMs: 10, timer: () => now });
    answers = false;
    await wait.until(written(1));
    await wait.until(written(2));
    t.equal(looks, 2, 'the first one waits as long as it may, the second one looks');
    await wait.until(written(3));
    await wait.until(written(1, { stream: 'company-8' }));
    t.equal(looks, 2, 'for no stream');
    now += 5_000;
    answers = true;
    await wait.until(written(4));
    t.equal(looks, 4, 'it looks, and waits');
  },
);
