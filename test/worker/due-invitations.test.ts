import {
  dueInvitationsOf,
  type IndexOptions,
  type ReadModelReader,
  type StoredDocument,
  RateLimiter,
} from '@rollcall/application';
import { AGAIN_AFTER_MS, DueInvitations, LOOK_EVERY_MS } from '@rollcall/worker';

import t from 'tap';

const start = Date.parse('2026-11-23T08:00:00Z');
const value = Buffer.from('{}');

interface Due {
  readonly dueMs: number;
  readonly number: number;
}

/** As the index gives them: by `allDue` of all up to a moment, by `due` those of one company, or all from a company on. */
function indexed(
  companies: ReadonlyMap<number, readonly Due[]>,
  index: string,
  { prefix, from = 0, upTo = Infinity, limit = Infinity }: IndexOptions,
): StoredDocument[] {
  const isOfAll = index === 'allDue';
  const isAsked = (dueMs: number): boolean => (prefix.length === 0 && !isOfAll) || dueMs <= upTo;
  const ids = prefix.length > 0 ? prefix : [...companies.keys()].filter((id) => isOfAll || id >= from);
  const found = ids.flatMap((id) => (companies.get(id) ?? []).slice(0, limit).map((due) => ({ id, ...due })));
  return (isOfAll ? found.sort((one, other) => one.dueMs - other.dueMs) : found)
    .filter(({ dueMs }) => isAsked(dueMs))
    .slice(0, limit)
    .map(({ id, dueMs, number }) => ({
      key: [id, number],
      revision: 0,
      value: Buffer.from(JSON.stringify({ due: dueMs })),
    }));
}

/** Companies with what they have due, in memory; `run` is one worker with its loop and its rate. */
function installation(rate: { total: number; perCompany: number }, companies: Record<number, Due[]>) {
  const begun = new Map(Object.entries(companies).map(([id, due]) => [Number(id), due]));
  const clock = { at: start, now: () => clock.at };
  const held = new Set<number>();
  const slowness = { ms: 0 };
  const published: { companyId: number; number: number }[] = [];
  /** Of whichever method. */
  let questions = 0;
  const ask = (): void => {
    questions += 1;
    clock.at += slowness.ms;
  };
  const find: ReadModelReader['find'] = async function* () {
    ask();
    for (const id of held) yield { key: [id], revision: 0, value } satisfies StoredDocument;
  };
  const findByIndex: ReadModelReader['findByIndex'] = async function* (collection, index, options) {
    ask();
    if (collection !== 'invitation-progress') return;
    yield* indexed(begun, index, options);
  };
  const oldest: number[] = [];
  const limiter = new RateLimiter(rate, clock);
  const due = new DueInvitations({
    limiter,
    readModels: {
      find,
      findByIndex,
      progress: async () => ({ position: undefined }),
      parkedStreams: async () => [],
      getMany: async (_collection, keys, take) => keys.map((_, place) => take(undefined, place)),
    },
    clock,
    onOldest: (ms) => oldest.push(ms),
    queue: {
      publish: async (_queue, body) => {
        const { companyId = 0, numbers = [] } = dueInvitationsOf(body) ?? {};
        published.push(...numbers.map((number) => ({ companyId, number })));
      },
    },
  });
  const remove = (companyId: number, number: number): void => {
    const entries = begun.get(companyId) ?? [];
    const at = entries.findIndex((entry) => entry.number === number);
    entries.splice(at, 1);
  };
  const look = async () => {
    await due.look();
    return published.splice(0);
  };
  const asked = async () => {
    const before = questions;
    await look();
    return questions - before;
  };
  return { clock, held, look, asked, remove, oldest, slowness, limiter };
}

const many = (count: number, dueMs = start): Due[] =>
  Array.from({ length: count }, (_, index) => ({ dueMs, number: index + 1 }));

/**
 * Runs loop and rate for so many seconds, and a queue that brings back what the rate holds back. By company when its mails went, in
 * ms since the start; how many wait, and how many questions each mail cost.
 */
async function run({ clock, look, remove, limiter }: ReturnType<typeof installation>, seconds: number) {
  const sent = new Map<number, number[]>();
  let [mails, questions] = [0, 0];
  let waiting: { companyId: number; number: number; at: number }[] = [];
  const send = (one: (typeof waiting)[number]): boolean => {
    const { companyId, number } = one;
    if (clock.at < one.at) return false;
    questions += 1;
    one.at = clock.at + limiter.take(companyId);
    if (one.at > clock.at) return false;
    mails += 1;
    remove(companyId, number);
    sent.set(companyId, [...(sent.get(companyId) ?? []), clock.at - start]);
    return true;
  };
  for (let step = 0; step < seconds * 100; step++) {
    if (step % 100 === 0) waiting.push(...(await look()).map((due) => ({ ...due, at: 0 })));
    waiting = waiting.filter((each) => !send(each));
    // A look comes a little late, as timers do.
    clock.at += (LOOK_EVERY_MS + 4) / 100;
  }
  const of = (companyId: number) => sent.get(companyId) ?? [];
  return { of, waiting: waiting.length, asked: questions / mails };
}

t.test('100,000 due of one company leave room for the one of another', async (t) => {
  const rate = { total: 20, perCompany: 10 };
  const all = installation(rate, { 1: many(100_000), 2: many(1), 3: many(30) });
  const { of, waiting, asked } = await run(all, 60);
  t.ok((of(2)[0] ?? Infinity) < LOOK_EVERY_MS, 'the one of the other company went in the first second');
  t.ok((of(3)[29] ?? Infinity) < 10_000, 'thirty of a third within ten');
  const large = of(1);
  t.ok(large.length >= 570 && large.length <= 620, `${large.length} of the large one in a minute`);
  const most = Math.max(
    ...large.map((from) => large.filter((at) => at >= from && at < from + 10_000).length),
  );
  t.ok(most <= 110, `${most} within ten seconds`);
  t.ok(waiting <= 40, `${waiting} wait in the queue`);
  t.ok(asked < 1.2, `each asked ${asked} times`);
});

t.test('many companies share the rate in turn', async (t) => {
  const companies = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at + 1, many(100)]));
  const { look, clock } = installation({ total: 10, perCompany: 10 }, companies);
  const seen = new Set<number>();
  for (let second = 0; second < 50; second++) {
    for (const { companyId } of await look()) seen.add(companyId);
    clock.at += AGAIN_AFTER_MS;
  }
  t.equal(seen.size, 50);
});

t.test('what is published is not published again at once, but when nothing comes of it', async (t) => {
  const { look, clock, oldest } = installation({ total: 10, perCompany: 10 }, { 1: many(3) });
  t.equal((await look()).length, 3);
  clock.at += AGAIN_AFTER_MS - 1;
  t.equal((await look()).length, 0);
  clock.at += 1;
  t.equal((await look()).length, 3);
  t.strictSame(oldest, [0, AGAIN_AFTER_MS - 1, AGAIN_AFTER_MS]);
});

t.test('what waits for a mail server that is away is not published again beside itself', async (t) => {
  const { look, clock, limiter } = installation({ total: 10, perCompany: 10 }, { 1: many(3) });
  t.equal((await look()).length, 3);
  limiter.reached(false);
  for (let minute = 0; minute < 60; minute++) {
    clock.at += 60_000;
    t.equal(limiter.take(1), 0, 'one tries it');
    t.equal((await look()).length, 0);
  }
  clock.at += 120_000;
  t.equal((await look()).length, 3, 'nobody has tried it for a minute: the queue lost them');
  limiter.take(1);
  limiter.reached(true);
  clock.at += 600_000;
  t.equal((await look()).length, 3, 'it is there again, and they are not done');
});

t.test('those that nobody closes leave room for the ones behind them', async (t) => {
  const rate = { total: 20, perCompany: 10 };
  const { look, remove, clock } = installation(rate, { 1: many(200) });
  const isStuck = (number: number) => number <= 40;
  const published = new Map<number, number>();
  for (let second = 0; second < 120; second++) {
    for (const { number } of await look()) {
      published.set(number, (published.get(number) ?? 0) + 1);
      if (!isStuck(number)) remove(1, number);
    }
    clock.at += LOOK_EVERY_MS;
  }
  t.equal(published.size, 200, 'all were published');
  const times = [...published].filter(([number]) => isStuck(number)).map(([, count]) => count);
  t.ok(Math.min(...times) >= 2, 'those that are stuck too, again');
  t.ok(Math.max(...times) <= 4, 'but more and more seldom');
});

t.test('what was published before the clock was set back is published again', async (t) => {
  const { look, clock } = installation({ total: 10, perCompany: 10 }, { 1: many(30, start - 86_400_000) });
  t.equal((await look()).length, 10);
  t.equal((await look()).length, 10);
  t.equal((await look()).length, 0, 'twenty wait in the queue');
  clock.at -= 3_600_000;
  const again = await look();
  t.equal(again.length, 10);
  t.ok(again.some(({ number }) => number <= 20));
  t.ok(again.some(({ number }) => number > 20));
});

t.test('not before the hour, and not what is held', async (t) => {
  const { look, clock, held, oldest } = installation(
    { total: 10, perCompany: 10 },
    { 1: many(2, start + 1), 2: many(1) },
  );
  held.add(2);
  t.strictSame(await look(), []);
  clock.at += 1;
  t.equal((await look()).length, 2);
  held.delete(2);
  t.strictSame(await look(), [{ companyId: 2, number: 1 }]);
  t.strictSame(oldest, [0, 0, 1]);
});

t.test('who has nothing to be sent costs no question', async (t) => {
  const rate = { total: 10, perCompany: 10 };
  const idle = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [at + 10, []]));
  const alone = installation(rate, { 1: many(2), 2000: many(1) });
  const among = installation(rate, { 1: many(2), ...idle, 2000: many(1) });
  const before = await alone.asked();
  t.ok(before > 0);
  t.equal(await among.asked(), before);
});

const each = (count: number, due: Due[]): Record<number, Due[]> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [at + 1, [...due]]));

t.test('a look costs the same, whatever waits for later, and no more than it publishes', async (t) => {
  const rate = { total: 20, perCompany: 10 };
  const later = (count: number) => installation(rate, each(count, many(1, start + 1))).asked();
  t.equal(await later(500), await later(1));
  const asked = (count: number) => installation(rate, each(count, many(1))).asked();
  t.equal(await asked(999), await asked(20));
  t.ok((await asked(2_000)) <= (await asked(20)) + 100);
});

t.test('two hundred companies behind a large backlog come in turn', async (t) => {
  const rate = { total: 20, perCompany: 10 };
  const all = installation(rate, { ...each(250, many(1)), 1: many(3_000, start - 1) });
  const { of } = await run(all, 30);
  const behind = Array.from({ length: 249 }, (_, at) => of(at + 2).length);
  t.strictSame(new Set(behind), new Set([1]));
});

t.test('slow looks do not lower the rate: sixty companies share all of it', async (t) => {
  const rate = { total: 20, perCompany: 10 };
  const all = installation(rate, each(60, many(10)));
  const { clock, look, remove, slowness } = all;
  slowness.ms = 20;
  const ends: { readonly at: number; readonly sent: number }[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    clock.at += LOOK_EVERY_MS;
    const found = await look();
    for (const { companyId, number } of found) remove(companyId, number);
    ends.push({ at: clock.at, sent: found.length });
  }
  const sent = ends.slice(5).reduce((sum, one) => sum + one.sent, 0);
  const perSecond = (sent * 1_000) / (clock.at - (ends[4]?.at ?? 0));
  t.ok(perSecond > 19 && perSecond < 21, `${perSecond} a second`);
  clock.at += 60_000;
  t.equal((await look()).length, 100, 'after a pause at most what is sent in five seconds');
});

t.test('slow looks do not lower a rate of few a second either', async (t) => {
  for (const perSecond of [1, 3]) {
    const rate = { total: perSecond, perCompany: perSecond };
    const { clock, look, remove } = installation(rate, { 1: many(1_000) });
    let sent = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      clock.at += LOOK_EVERY_MS + 400;
      for (const { companyId, number } of await look()) {
        remove(companyId, number);
        sent += 1;
      }
    }
    t.ok(Math.abs(sent - 140 * perSecond) <= 1, `${sent} in 140 s at ${perSecond} a second`);
  }
});
