import t, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { companyId, startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { employees, managers, put, replayed, respondAsync, withKey } from './imports.support.js';

/** What is read on the event loop, in a thread, and in a thread while it arrives. */
const sizes = { small: 5, medium: 200, streamed: 3_000 };
const settings = { queueThreshold: null, departmentDimensions: ['Department'] };

type Extra = (index: number) => object;
const having = (count: number, extra: Extra): object[] =>
  generatedEmployees(count).map((employee, index) => ({ ...employee, ...extra(index) }));
/** Names that a person may have chosen, one of them in part of the elements. */
const extras: Extra = (index) => ({ Valid: true, ...(index % 2 === 0 && { 'ann@example.com': null }) });

/** Whole numbers below `sides`, the same in each run. */
function rolls(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % sides;
  };
}

const ignoredOf = ({ json }: Answer): unknown => (json as { IgnoredFields?: unknown }).IgnoredFields;

/** The dry run's, and then the answer of the real call; a dry run has no null. */
async function bothOf(app: TestApp, body: object): Promise<readonly [unknown, unknown]> {
  const rehearsed = await put(app, employees, body, { query: '?dryRun=true' });
  const real = await put(app, employees, body);
  return [ignoredOf(rehearsed), ignoredOf(real) ?? {}];
}

function sameAgain(t: Test, again: Answer, first: Answer): void {
  t.equal(replayed(again), 'true');
  t.equal(again.text, first.text);
}

for (const [size, count] of Object.entries(sizes))
  t.test(`a ${size} list`, async (t) => {
    const app = await startTestApp(t, { settings });
    const expected = { Valid: count, 'ann@example.com': Math.ceil(count / 2) };
    const body = having(count, extras);

    await t.test('carried out, sent again, and repeated by its key', async (t) => {
      const first = await put(app, employees, body, withKey('k'));
      t.equal(first.status, 200);
      t.match(first.json, { Inserted: count });
      t.same(ignoredOf(first), expected);
      for (const text of ['the same bytes', 'and again']) {
        const same = await put(app, employees, body);
        t.match(same.json, { Inserted: 0, Updated: 0, Removed: 0 });
        t.same(ignoredOf(same), expected, text);
      }
      sameAgain(t, await put(app, employees, body, withKey('k')), first);
      t.equal((await put(app, employees, [])).status, 200);
      sameAgain(t, await put(app, employees, body, withKey('k')), first);
    });

    await t.test('queued, and repeated by its key', async (t) => {
      const headers = { ...withKey('queued').headers, ...respondAsync.headers };
      const first = await put(app, employees, body, { headers });
      t.equal(first.status, 202);
      t.same(ignoredOf(first), expected);
      sameAgain(t, await put(app, employees, body, { headers }), first);
    });
  });

t.test('null where each member is a field', async (t) => {
  const app = await startTestApp(t, { settings });
  for (const count of Object.values(sizes))
    for (const options of [{}, {}, respondAsync]) {
      const { json } = await put(app, employees, generatedEmployees(count), options);
      t.equal(ignoredOf({ json } as Answer), null);
    }
});

t.test('more names than are remembered with the last body', async (t) => {
  const app = await startTestApp(t, { settings });
  for (const count of Object.values(sizes)) {
    const body = having(count, (index) => ({ [`name ${index % 150}`]: 1, [`${'x'.repeat(60)}${index}`]: 1 }));
    const [rehearsed, first] = await bothOf(app, body);
    t.same(first, rehearsed);
    t.match(first, { [`${'x'.repeat(40)}…`]: count, 'name 0': Math.ceil(count / 150) });
    t.same(ignoredOf(await put(app, employees, body)), first, 'the same bytes');
  }
});

t.test('property: a dry run and the real call of a list name the same', async (t) => {
  const app = await startTestApp(t, { settings });
  const roll = rolls(23);
  const name = (): string =>
    [
      'Valid',
      'EditingLang',
      '7',
      '...',
      'Gender ',
      'é'.repeat(roll(60)),
      `n${roll(400)}`,
      'x'.repeat(roll(60)),
    ][roll(8)] ?? '';
  for (let round = 0; round < 40; round++) {
    const most = roll(12);
    const count = roll(4) === 0 ? 600 + roll(600) : roll(30);
    const body = having(count, () =>
      Object.fromEntries(Array.from({ length: roll(most + 1) }, () => [name(), roll(3)])),
    );
    const [rehearsed, real] = await bothOf(app, body);
    t.same(real, rehearsed, `${count} elements`);
  }
});

t.test('an import of managers answers them with its 202', async (t) => {
  const app = await startTestApp(t, { settings });
  const body = { ...managers.body(2), Sent: 'today' };
  const [rehearsed, queued] = [
    await put(app, managers, body, { query: '?dryRun=true' }),
    await put(app, managers, body, respondAsync),
  ];
  t.same([queued.status, ignoredOf(queued)], [202, { Sent: 1 }]);
  t.same(ignoredOf(rehearsed), { Sent: 1 });
  t.equal(ignoredOf(await put(app, managers, managers.body(2), respondAsync)), null);
});

t.test('a name that a caller chooses stands in no event', async (t) => {
  const app = await startTestApp(t, { settings });
  t.same(ignoredOf(await put(app, employees, having(3, extras))), { Valid: 3, 'ann@example.com': 2 });
  let events = 0;
  for await (const { data } of app.adapters.log.readStream(`company-${companyId}`)) {
    t.notMatch(Buffer.from(data).toString(), /ann@example\.com|Valid/);
    events++;
  }
  t.ok(events > 1);
});
