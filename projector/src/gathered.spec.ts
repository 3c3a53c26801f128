import type { RecordedEvent, SubscriptionItem } from '@rollcall/application/read';
import t from 'tap';
import { gathered } from './run-projector.js';

const end: SubscriptionItem = { kind: 'caught-up', position: 1n };

const event = (position: bigint): SubscriptionItem => ({
  kind: 'event',
  event: { position } as RecordedEvent,
});

/** A subscription that is told by hand what it hands out, and what came of it. */
function rig() {
  let now = 0;
  let takes: ((result: IteratorResult<SubscriptionItem>) => void)[] = [];
  const ready: SubscriptionItem[] = [];
  const came: string[] = [];
  let over: (() => void) | undefined;
  const items: AsyncIterator<SubscriptionItem> = {
    next: () =>
      new Promise((resolve) => {
        const value = ready.shift();
        if (value === undefined) takes.push(resolve);
        else resolve({ done: false, value });
      }),
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const come = async (...more: SubscriptionItem[]): Promise<void> => {
    for (const value of more) {
      const [take, ...others] = takes;
      takes = others;
      if (take === undefined) ready.push(value);
      else take({ done: false, value });
      await settle();
    }
  };
  const pause = (ms: number) => {
    came.push(`waits ${ms}`);
    return new Promise<void>((resolve) => (over = resolve));
  };
  const handed = (async () => {
    for await (const item of gathered(items, { timer: () => now, pause }))
      came.push(item.kind === 'event' ? String(item.event.position) : 'end');
  })();
  const stop = async (): Promise<void> => {
    for (const take of takes) take({ done: true, value: undefined });
    await handed;
  };
  const wake = async (): Promise<void> => {
    over?.();
    await settle();
  };
  return { came, come, wake, stop, pass: (ms: number) => (now += ms) };
}

t.test('events that come one by one with time between them never wait', async (t) => {
  const { came, come, stop } = rig();
  await come(end, event(1n), end, event(2n), end);
  t.strictSame(came, ['end', '1', 'end', '2', 'end']);
  await stop();
});

t.test(
  'behind several events at once an end waits for more, until the first of them is 10 ms old',
  async (t) => {
    const { came, come, wake, pass, stop } = rig();
    await come(event(1n), event(2n), end);
    t.strictSame(came, ['1', '2', 'end'], 'nothing told that more were coming');
    came.length = 0;
    await come(event(3n), end);
    t.strictSame(came, ['3', 'waits 10']);
    pass(4);
    await come(event(4n), end);
    t.strictSame(came, ['3', 'waits 10', '4', 'waits 6'], 'the end between them is left out');
    await wake();
    t.strictSame(came.at(-1), 'end');
    came.length = 0;
    await come(event(5n));
    pass(10);
    await come(end);
    t.strictSame(came, ['5', 'end'], 'it is old enough');
    came.length = 0;
    await come(event(6n), end);
    t.strictSame(came, ['6', 'end'], 'and a single event has ended the rush');
    await stop();
  },
);

t.test('an end without events does not wait, and a failure is passed on', async (t) => {
  const { came, come, stop } = rig();
  await come(event(1n), event(2n), end, end);
  t.strictSame(came, ['1', '2', 'end', 'end']);
  await stop();
  const broken: AsyncIterator<SubscriptionItem> = { next: () => Promise.reject(new Error('away')) };
  await t.rejects(gathered(broken).next(), { message: 'away' });
});
