import { once } from 'node:events';
import { connect } from 'node:net';
import type { StoredDocument } from '@rollcall/application';
import t, { type Test } from 'tap';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { exactly } from '../support/exactly.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const managers = `/v1.0/Company/${companyId}/Managers`;
const ids = ['a', 'B', 'Z', '10', '9', '~', 'ø', '😀', '\ufb01', '"\\/', 'x y&z=1?#'];

const employee = (EmployeeID: string, index: number) => ({
  EmployeeID,
  Firstname: 'Ann',
  Lastname: 'Example',
  Email: `ann${index}@example.com`,
  EmploymentStatus: 0,
  Department: 'Sales',
});

interface Row {
  readonly Id: number;
  readonly EmployeeID: string;
}

async function loaded(t: Test): Promise<TestApp> {
  const app = await startTestApp(t);
  const answer = await app.call('PUT', employees, { body: ids.map(employee) });
  t.equal(answer.status, 200, answer.text);
  await app.projected();
  return app;
}

const idsOf = (json: unknown): string[] => (json as Row[]).map(({ EmployeeID }) => EmployeeID);

t.test('all employees come as a bare array in the order of Id', async (t) => {
  const app = await loaded(t);
  const answer = await app.call('GET', employees);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  t.equal(answer.headers.get('link'), null);
  t.match(answer.headers.get('etag'), /^"\d+"$/);
  t.same(idsOf(answer.json), ids);
  t.same(
    (answer.json as Row[]).map(({ Id }) => Id),
    ids.map((_, at) => at + 1),
  );
});

t.test('pages lead from one to the next', async (t) => {
  const app = await loaded(t);
  const seen: string[] = [];
  let next: string | undefined = `${employees}?Top=2`;
  let pages = 0;
  while (next !== undefined) {
    const answer = await app.call('GET', next);
    t.equal(answer.status, 200, next);
    const head = await app.call('HEAD', next);
    t.same([head.text, head.headers.get('link')], ['', answer.headers.get('link')], 'HEAD leads on too');
    seen.push(...idsOf(answer.json));
    next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    pages++;
  }
  t.same(seen, ids);
  t.equal(pages, Math.ceil(ids.length / 2));
  for (const after of [3, 0])
    t.same(idsOf((await app.call('GET', `${employees}?After=${after}`)).json), ids.slice(after));
  t.equal(
    (await app.call('GET', `${employees}?Top=${ids.length}`)).headers.get('link'),
    null,
    'the last page is the last',
  );
});

t.test('pages that lead from one to the next are of one set, whatever is sent meanwhile', async (t) => {
  const app = await loaded(t);
  const first = await app.call('GET', `${employees}?Top=6`);
  const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const others = ids.slice(0, 3).map(employee);
  t.equal((await app.call('PUT', employees, { body: others })).status, 200);
  await app.projected();
  const second = await app.call('GET', next);
  t.equal(second.headers.get('etag'), first.headers.get('etag'));
  t.same([...idsOf(first.json), ...idsOf(second.json)], ids);
  t.same(idsOf((await app.call('GET', employees)).json), ids.slice(0, 3));
  const unknown = await app.call('GET', `${employees}?Top=2&Revision=1000000`);
  t.equal(unknown.status, 412);
  t.match(unknown.json, { Message: /Begin again with the first page/ });
});

t.test('pages go on where the list was sent again unchanged; its event is no Revision', async (t) => {
  const app = await loaded(t);
  const { headers } = await app.call('GET', `${employees}?Top=6`);
  const next = /^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
  const set = Number(/Revision=(\d+)/.exec(next)?.[1]);
  for (const body of [ids.map(employee), ids.slice(1).map(employee)]) {
    t.equal((await app.call('PUT', employees, { body })).status, 200);
    await app.projected();
    t.same(idsOf((await app.call('GET', next)).json), ids.slice(6));
  }
  t.equal((await app.call('HEAD', employees)).headers.get('etag'), `"${set + 2}"`);
  for (const none of [0, set - 1, set + 1])
    for (const method of ['GET', 'HEAD'])
      t.equal((await app.call(method, `${employees}?Revision=${none}`)).status, 412, `${method} ${none}`);
});

t.test('the one employee who has an EmployeeID, or nobody', async (t) => {
  const app = await loaded(t);
  const all = (await app.call('GET', employees)).json as Row[];
  const [first] = all;
  for (const one of all) {
    const answer = await app.call('GET', `${employees}?employeeid=${encodeURIComponent(one.EmployeeID)}`);
    t.equal(answer.status, 200);
    t.same(answer.json, [one]);
    t.match(answer.headers.get('etag'), /^"\d+"$/);
  }
  const of = (id: string, more = '') => app.call('GET', `${employees}?EmployeeID=${id}${more}`);
  t.equal((await of('b')).text, '[]', 'the case of letters counts');
  for (const more of ['&Top=1', '&After=1']) t.equal((await of('a', more)).status, 400);
  const { headers } = await of('a');
  const sent = ids.slice(1).map(employee);
  t.equal((await app.call('PUT', employees, { body: sent })).status, 200);
  await app.projected();
  t.equal((await of('a')).text, '[]', 'has left');
  const revision = JSON.parse(headers.get('etag') ?? '""') as string;
  t.same((await of('a', `&Revision=${revision}`)).json, [first], 'not from the set before');
  t.equal((await app.call('PUT', employees, { body: [...sent, employee('a', 99)] })).status, 200);
  await app.projected();
  t.match((await of('a')).json, exactly([{ EmployeeID: 'a', Id: ids.length + 1 }]), 'came again, and is new');
  t.same((await of('a', `&Revision=${revision}`)).json, [first]);
  t.equal((await app.call('GET', `/v1.0/Company/${companyId}/Employee?EmployeeID=`)).status, 400);
});

t.test('a company without employees has an empty array', async (t) => {
  const app = await startTestApp(t);
  t.equal((await app.call('GET', employees)).text, '[]');
  t.equal((await app.call('GET', `${employees}?Top=5`)).text, '[]');
  t.equal((await app.call('GET', `${employees}?EmployeeID=a`)).text, '[]');
});

t.test('a set that is sent as it was got changes nothing', async (t) => {
  const app = await loaded(t);
  const got = (await app.call('GET', employees)).json;
  t.match((await app.call('PUT', employees, { body: got })).json, { Inserted: 0, Updated: 0, Removed: 0 });
});

t.test('a broken projection of the company is 503, of another is none of its business', async (t) => {
  const broken: string[] = [];
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: withMembers(readModels, {
        parkedStreams: () => Promise.resolve(broken.map((stream) => ({ stream, revision: 3, problem: 'x' }))),
      }),
    }),
  });
  broken.push('company-8');
  t.equal((await app.call('GET', employees)).status, 200);
  broken.push(`company-${companyId}`);
  for (const path of [
    employees,
    `/v1.0/Company/${companyId}/ApiCalls`,
    `/v1.0/Company/${companyId}/Language/Enabled`,
  ]) {
    const answer = await app.call('GET', path);
    t.equal(answer.status, 503, path);
    t.ok(answer.headers.get('retry-after'));
    t.match(answer.json, { Message: String });
  }
  const ready = await app.call('GET', '/health/ready', { token: null });
  t.equal(ready.status, 200, 'everything else is served');
  t.match(ready.json, {
    Status: 'degraded',
    Problems: exactly([
      `projections have stopped: company-8 at revision 3, company-${companyId} at revision 3`,
    ]),
  });
});

t.test('a caller who goes away ends the reading', async (t) => {
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => (ended = resolve));
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: withMembers(readModels, {
        findBatches: (collection, options) =>
          collection === 'manager-users' ? endless(ended) : readModels.findBatches(collection, options),
      }),
    }),
  });
  const socket = connect(app.port, '127.0.0.1');
  socket.write(`GET ${managers} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await end;
  t.pass();
});

async function* endless(ended: () => void): AsyncGenerator<readonly StoredDocument[]> {
  const value = Buffer.from(JSON.stringify({ EmployeeID: 'x'.repeat(1_000) }));
  try {
    for (;;) {
      await Promise.resolve();
      yield [{ key: [companyId, 1], revision: 0, value }];
    }
  } finally {
    ended();
  }
}
