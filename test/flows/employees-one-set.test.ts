import t from 'tap';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const minute = 60_000;

/** Of 600 people half stay, and every fiftieth of those gets another name each time; the others are exchanged. */
const half = 300;
const imports = 12;
const list = (round: number) =>
  Array.from({ length: 2 * half }, (_, at) => {
    const EmployeeID = `${at < half ? 'A' : 'BC'[round % 2]}${1_000 + (at % half)}`;
    return {
      EmployeeID,
      Firstname: at < half && at % 50 === 0 ? `Round ${round}` : 'Ann',
      Lastname: 'Example',
      Email: `${EmployeeID}@example.com`,
      EmploymentStatus: 0,
      Department: 'Sales',
    };
  });

interface Row {
  readonly EmployeeID: string;
  readonly Firstname: string;
}

/** The round of the list that was shown; otherwise what is wrong with it. */
function roundOf(rows: readonly Row[]): number | string {
  const names = new Set(rows.flatMap(({ Firstname }) => (Firstname === 'Ann' ? [] : [Firstname])));
  const [name = ''] = names;
  const round = Number(name.split(' ')[1]);
  const shown = rows.map(({ EmployeeID }) => EmployeeID).join();
  const sent = list(round).map(({ EmployeeID }) => EmployeeID);
  return names.size === 1 && shown === sent.join() ? round : `${rows.length} people of ${[...names].join()}`;
}

const nextOf = (headers: Headers): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** All pages to which the first leads; undefined where one is refused. */
async function walk(app: TestApp, first: string): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  for (let next: string | undefined = first; next !== undefined;) {
    const answer = await app.call('GET', next);
    if (answer.status === 412) return undefined;
    rows.push(...(answer.json as Row[]));
    next = nextOf(answer.headers);
  }
  return rows;
}

t.test('whoever reads while the list is replaced sees one of the lists that were sent, or 412', async (t) => {
  const app = await startTestApp(t);
  let isDone = false;
  const send = async (round: number): Promise<void> => {
    const answer = await app.call('PUT', employees, { body: list(round) });
    t.equal(answer.status, 200, answer.text);
  };
  await send(0);
  await app.projected();
  const seen: (number | string)[] = [];
  const read = async (path: string): Promise<void> => {
    while (!isDone) {
      const rows = await walk(app, path);
      if (rows !== undefined) seen.push(roundOf(rows));
    }
  };
  const readers = [employees, `${employees}?Top=70`, `${employees}?Top=250`].map(read);
  for (let round = 1; round < imports; round += 1) await send(round);
  isDone = true;
  await Promise.all(readers);
  t.strictSame(
    seen.filter((one) => typeof one === 'string'),
    [],
  );
  t.ok(new Set(seen).size > 1, `${seen.length} lists were read, of ${new Set(seen).size} rounds`);
});

t.test('a replaced set can be read for ten minutes', async (t) => {
  // Behind the company's first event.
  const clock = { at: Date.now() + minute, now: () => clock.at };
  const app = await startTestApp(t, { clock });
  const send = async (round: number): Promise<void> => {
    t.equal((await app.call('PUT', employees, { body: list(round).slice(0, 20) })).status, 200);
    await app.projected();
  };
  const firstPage = async (): Promise<string> =>
    nextOf((await app.call('GET', `${employees}?Top=5`)).headers) ?? '';
  await send(0);
  const oldest = await firstPage();
  await send(1);
  const older = await firstPage();
  clock.at += 9 * minute;
  await send(2);
  t.equal((await app.call('GET', oldest)).status, 200, 'nine minutes later');
  clock.at += minute;
  const refused = await app.call('GET', oldest);
  t.equal(refused.status, 412, 'also where nothing was sent since');
  t.match(refused.json, { Message: /Begin again with the first page/ });
  t.equal((await app.call('HEAD', oldest)).status, 412);
  t.equal((await app.call('GET', older)).status, 200, 'that one was replaced a minute ago');
  await send(3);
  t.equal((await app.call('GET', oldest)).status, 412);
  t.equal((await app.call('GET', older)).status, 200);
});
