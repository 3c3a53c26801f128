import { readWebhooks } from '@rollcall/application';
import tap from 'tap';
import { company } from '../application/imports.support.js';
import { until } from '../support/until.js';
import { addWebhook, importOne, startWebhooks } from './webhooks.support.js';

const accepted = { accepted: true } as const;
const url = 'https://a.example.com/';

tap.test('a message that another worker has delivered meanwhile takes no later one away', async (t) => {
  const on = await company(t);
  await addWebhook(on, url);
  const claim = async () => (await readWebhooks(on, 7)).webhooks.get(1)?.claimedUntil;
  let read = 0n;
  const subscribeToAll: typeof on.log.subscribeToAll = async function* (options) {
    for await (const item of on.log.subscribeToAll(options)) {
      yield item;
      if (item.kind === 'event') read = item.event.position;
    }
  };
  let release = (): void => undefined;
  const hangs = new Promise<void>((resolve) => (release = resolve));
  const seen: string[] = [];
  const slow = startWebhooks(on, { ...on.log, subscribeToAll }, async ({ id }) => {
    seen.push(id);
    await hangs;
    return accepted;
  });
  t.teardown(() => (release(), slow.stop()));
  await importOne(on, 1);
  await until('its call hangs', () => seen.length === 1);
  on.clock.at += 61_000;
  const other = startWebhooks(on, on.log, async ({ id }) => {
    seen.push(id);
    return accepted;
  });
  await until('the other has delivered it', async () => seen.length === 2 && (await claim()) === null);
  await other.stop();
  await importOne(on, 2);
  await until('the slow one has read both', async () => read === (await on.log.lastPosition()));
  release();
  await until('the second is delivered', () => seen.length === 3);
  t.equal(seen[0], seen[1]);
  t.not(seen[2], seen[1]);
});

tap.test('a batch of slow calls ends long before its claim does', async (t) => {
  const on = await company(t);
  await addWebhook(on, url);
  for (const each of [1, 2, 3, 4, 5, 6, 7, 8]) await importOne(on, each);
  const left: number[] = [];
  const running = startWebhooks(on, on.log, async () => {
    const { claimedUntil } = (await readWebhooks(on, 7)).webhooks.get(1) ?? {};
    left.push(Date.parse(claimedUntil ?? '') - on.clock.at);
    on.clock.at += 20_000;
    return accepted;
  });
  t.teardown(() => running.stop());
  await until('all are delivered', () => left.length === 8);
  t.ok(Math.min(...left) >= 30_000, left.join());
});
