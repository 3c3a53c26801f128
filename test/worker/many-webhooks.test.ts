import { changeWebhook, EventLogUnavailable, readWebhooks } from '@rollcall/application';
import tap from 'tap';
import { callContext } from '../application/decide-and-append.support.js';
import { company, configure, names, people, request } from '../application/imports.support.js';
import { until } from '../support/until.js';
import { addWebhook, importMany, importOne, startWebhooks } from './webhooks.support.js';

const accepted = { accepted: true } as const;
const [a, b] = ['https://a.example.com/', 'https://b.example.com/'];

tap.test('a host that hangs with more webhooks than it is called at once slows no other down', async (t) => {
  const on = await company(t);
  const others = [11, 12, 13, 14, 15, 16, 17, 18];
  for (const companyId of others) {
    await configure(on, { integrationEnabled: true, departmentDimensions: ['Unit'] }, companyId);
    for (let n = 0; n < 10; n++) await addWebhook(on, `${a}${n}`, ['import.completed'], companyId);
  }
  await addWebhook(on, b);
  const seen: string[] = [];
  let release = (): void => undefined;
  const hangs = new Promise<void>((resolve) => (release = resolve));
  const running = startWebhooks(on, on.log, async ({ url }) => {
    seen.push(url);
    if (url.startsWith(a)) await hangs;
    return accepted;
  });
  t.teardown(() => (release(), running.stop()));
  for (const companyId of others) await on.engine().accept(request('employees', people(1), { companyId }));
  await until('all calls to it are under way', () => seen.length === 64);
  await importOne(on, 1);
  await until('the other is told', () => seen.includes(b));
  const ended = running.stop();
  release();
  await ended;
  t.same(seen.length, 64 + 1, 'those that waited are left to the next worker');
});

tap.test(
  'the log is read once for a webhook that is behind, and once for an idle one beside it',
  async (t) => {
    const on = await company(t);
    await configure(on, { integrationEnabled: true, departmentDimensions: ['Unit'] }, 8);
    await addWebhook(on, b, ['import.failed'], 8);
    await addWebhook(on, a);
    const engine = on.engine();
    const operations = [await importOne(on, 1, engine)];
    while (operations.length < 3_200) operations.push(...(await importMany(engine, 32)));
    let [rounds, events] = [0, 0];
    const subscribeToAll: typeof on.log.subscribeToAll = async function* (options) {
      rounds += 1;
      for await (const item of on.log.subscribeToAll(options)) {
        if (item.kind === 'event') events += 1;
        yield item;
      }
    };
    let count = 0;
    const running = startWebhooks(on, { ...on.log, subscribeToAll }, async () => {
      count++;
      return accepted;
    });
    t.teardown(() => running.stop());
    await until('all are told', () => count >= operations.length);
    t.ok(rounds > 2, 'it was read again');
    t.ok(events < 2 * operations.length, `${events} events for ${operations.length}`);
  },
);

tap.test('all webhooks of a company are recorded one after the other, each with one append', async (t) => {
  const on = await company(t);
  for (let n = 0; n < 10; n++) await addWebhook(on, `${a}${n}`, ['import.completed']);
  const before = (await names(on.log, 'webhooks-7')).length;
  let [appends, count] = [0, 0];
  const append: typeof on.log.append = (stream, ...given) => {
    if (stream === 'webhooks-7') appends += 1;
    return on.log.append(stream, ...given);
  };
  const running = startWebhooks(on, { ...on.log, append }, async () => {
    count += 1;
    return accepted;
  });
  await importOne(on, 1);
  await until('all are told', () => count === 10);
  await running.stop();
  t.equal((await names(on.log, 'webhooks-7')).length - before, 20, 'a claim and an end of each');
  t.equal(appends, 20);
});

tap.test(
  'a round that ends before its first event leaves out nothing that waits behind a full queue',
  async (t) => {
    const on = await company(t);
    await addWebhook(on, a);
    const engine = on.engine();
    const operations = [await importOne(on, 1, engine)];
    while (operations.length < 2_200) operations.push(...(await importMany(engine, 32)));
    let rounds = 0;
    const subscribeToAll: typeof on.log.subscribeToAll = async function* (options) {
      if (++rounds % 2 === 0) throw new EventLogUnavailable('away');
      yield* on.log.subscribeToAll(options);
    };
    const seen = new Set<string>();
    const running = startWebhooks(on, { ...on.log, subscribeToAll }, async ({ id }) => {
      seen.add(id);
      return accepted;
    });
    t.teardown(() => running.stop());
    await until('all are told', () => seen.size >= operations.length);
    t.ok(rounds > 4, 'rounds were cut off');
  },
);

tap.test('how far an idle webhook has seen the log is recorded once a day', async (t) => {
  const on = await company(t);
  await addWebhook(on, a, ['import.failed']);
  const running = startWebhooks(on, on.log, () => Promise.resolve(accepted));
  t.teardown(() => running.stop());
  await importOne(on, 1);
  const begun = on.clock.at;
  await until('it is recorded', async () => {
    const recorded = await names(on.log, 'webhooks-7');
    if (recorded.length === 1) on.clock.at += 3_600_000;
    return recorded.length > 1;
  });
  t.ok(on.clock.at - begun >= 24 * 3_600_000);
  const { delivered } = (await readWebhooks(on, 7)).webhooks.get(1) ?? {};
  t.match(delivered, { stream: 'company-7' });
});

tap.test('a worker that begins anew records it where it is a day old', async (t) => {
  const on = await company(t);
  await addWebhook(on, a, ['import.failed']);
  on.clock.at += 24 * 3_600_000;
  await importOne(on, 1);
  const running = startWebhooks(on, on.log, () => Promise.resolve(accepted));
  t.teardown(() => running.stop());
  await until('it is recorded', async () => (await names(on.log, 'webhooks-7')).length > 1);
  const { delivered } = (await readWebhooks(on, 7)).webhooks.get(1) ?? {};
  t.match(delivered, { stream: 'company-7' });
});

tap.test('a worker that lags behind does not take back what another has delivered', async (t) => {
  const on = await company(t);
  await addWebhook(on, a);
  const seen: string[] = [];
  const isRecorded = async (count: number) =>
    seen.length === count && (await readWebhooks(on, 7)).webhooks.get(1)?.claimedUntil === null;
  const worker = (log: typeof on.log) =>
    startWebhooks(on, log, async ({ id }) => {
      seen.push(id);
      return accepted;
    });
  let lags = false;
  const subscribeToAll: typeof on.log.subscribeToAll = async function* (options) {
    for await (const item of on.log.subscribeToAll(options)) if (!lags) yield item;
  };
  const lagging = worker({ ...on.log, subscribeToAll });
  await importOne(on, 1);
  await until('it is told', () => isRecorded(1));
  lags = true;
  const other = worker(on.log);
  await importOne(on, 2);
  await until('the other tells it', () => isRecorded(2));
  await other.stop();
  const before = (await names(on.log, 'webhooks-7')).length;
  on.clock.at += 24 * 3_600_000;
  await until('it records its place', async () => (await names(on.log, 'webhooks-7')).length > before);
  await lagging.stop();
  const last = worker(on.log);
  t.teardown(() => last.stop());
  await importOne(on, 3);
  await until('the third is told', () => new Set(seen).size === 3);
  t.equal(seen.length, 3, 'each once');
});

tap.test('a worker that ends records what the call under way comes to, and calls no more', async (t) => {
  const on = await company(t);
  await addWebhook(on, a);
  for (const each of [1, 2, 3]) await importOne(on, each);
  let release = (): void => undefined;
  const hangs = new Promise<void>((resolve) => (release = resolve));
  let calls = 0;
  const running = startWebhooks(on, on.log, async () => {
    calls += 1;
    await hangs;
    return accepted;
  });
  for (const each of [1, 2, 3]) await importOne(on, each);
  await until('a call is under way', () => calls === 1);
  const stopped = running.stop();
  release();
  await stopped;
  t.equal(calls, 1);
  t.same((await names(on.log, 'webhooks-7')).slice(-2), ['WebhookSending', 'WebhookDelivered']);
});

tap.test('messages have the signature of the secret of before for 24 hours', async (t) => {
  const on = await company(t);
  await addWebhook(on, a);
  await changeWebhook(on, callContext(), { kind: 'rotate', companyId: 7, webhookId: 1 });
  const secrets: (readonly string[])[] = [];
  const running = startWebhooks(on, on.log, async (message) => {
    secrets.push(message.secrets);
    return accepted;
  });
  t.teardown(() => running.stop());
  for (const [at, ms] of [0, 24 * 3_600_000 - 1, 1].entries()) {
    on.clock.at += ms;
    await importOne(on, at + 1);
    await until('it is told', () => secrets.length === at + 1);
    await until('it is recorded', async () => {
      return (await readWebhooks(on, 7)).webhooks.get(1)?.claimedUntil === null;
    });
  }
  const [both = []] = secrets;
  t.equal(new Set(both).size, 2);
  t.strictSame(secrets, [both, both, both.slice(0, 1)], 'the new one first');
});

tap.test('a start after the last webhook was removed reads no event of before', async (t) => {
  const on = await company(t);
  await addWebhook(on, a);
  await importOne(on, 1);
  await changeWebhook(on, callContext(), { kind: 'remove', companyId: 7, webhookId: 1 });
  const end = await on.log.lastPosition();
  const from: unknown[] = [];
  const seen: string[] = [];
  const subscribeToAll: typeof on.log.subscribeToAll = (options) => {
    from.push(options.after);
    return on.log.subscribeToAll(options);
  };
  const running = startWebhooks(on, { ...on.log, subscribeToAll }, async ({ url }) => {
    seen.push(url);
    return accepted;
  });
  t.teardown(() => running.stop());
  await until('the log is read', () => from.length > 0);
  t.equal(from[0], end);
  await addWebhook(on, b);
  await importOne(on, 2);
  await until('a later one is told', () => seen.length > 0);
  t.strictSame(seen, [b]);
});

tap.test('the first webhook reads no event of the time since the start', async (t) => {
  const on = await company(t);
  const from: bigint[] = [];
  let asked = 0;
  const lastPosition: typeof on.log.lastPosition = () => ((asked += 1), on.log.lastPosition());
  const subscribeToAll: typeof on.log.subscribeToAll = (options) => {
    from.push(options.after ?? 0n);
    return on.log.subscribeToAll(options);
  };
  const running = startWebhooks(on, { ...on.log, lastPosition, subscribeToAll }, async () => accepted);
  t.teardown(() => running.stop());
  await until('it has looked for webhooks', () => asked > 0);
  await importOne(on, 1);
  const [end, before] = [await on.log.lastPosition(), asked];
  await until('it has looked again', () => asked > before);
  await addWebhook(on, a);
  await until('the log is read', () => from.length > 0);
  t.ok((from[0] ?? 0n) >= (end ?? 0n));
});
