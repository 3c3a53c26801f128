import t from 'tap';
import { startTestApp, type TestApp } from '../support/test-app.js';
import {
  endpoints,
  importSettings as settings,
  operationOf,
  put,
  respondAsync,
  rowOf,
  rowsOf,
  runQueue,
  type Endpoint,
} from './imports.support.js';

const ifMatch = (value: string, more: object = {}) => ({ headers: { 'if-match': value, ...more } });

/** The set's ETag as a reader gets it. */
async function etagOf(app: TestApp, { setPath }: Endpoint): Promise<string> {
  await app.projected();
  const etag = (await app.call('GET', setPath)).headers.get('etag');
  t.match(etag, /^"\d+"$/);
  return etag ?? '';
}

for (const endpoint of endpoints)
  t.test(endpoint.kind, async (t) => {
    t.test('a set that nobody has changed since', async (t) => {
      const app = await startTestApp(t, { settings });
      t.equal((await put(app, endpoint, endpoint.body(1))).status, 200);
      const first = await etagOf(app, endpoint);
      t.equal((await put(app, endpoint, endpoint.body(1))).status, 200);
      t.equal(await etagOf(app, endpoint), first, 'a repeat that changes nothing is no change');
      for (const other of endpoints)
        if (other !== endpoint) t.equal((await put(app, other, other.body(1))).status, 200);
      t.equal(await etagOf(app, endpoint), first, 'nor is one of the other set');
      t.equal((await put(app, endpoint, endpoint.body(2), ifMatch(first))).status, 200);
      const second = await etagOf(app, endpoint);
      t.not(second, first);
      t.equal((await put(app, endpoint, endpoint.body(3), ifMatch(`"x", ${second}`))).status, 200);
      t.equal((await put(app, endpoint, endpoint.body(4), ifMatch('*'))).status, 200);
    });

    t.test('a set that was changed', async (t) => {
      const app = await startTestApp(t, { settings });
      await put(app, endpoint, endpoint.body(1));
      const stale = await etagOf(app, endpoint);
      await put(app, endpoint, endpoint.body(2));
      const current = await etagOf(app, endpoint);
      const before = await app.eventCount();
      for (const value of [stale, `W/${current}`, '"x"', `${stale}, "99", W/${current}`])
        for (const more of [{}, respondAsync.headers, { 'idempotency-key': 'k' }]) {
          const answer = await put(app, endpoint, endpoint.body(3), ifMatch(value, more));
          t.equal(answer.status, 412, value);
          t.equal(answer.headers.get('etag'), current, 'the answer tells what it is at');
          t.match(answer.json, { Message: new RegExp(`at revision ${current}.*Read it again`) });
        }
      t.equal((await put(app, endpoint, '{', ifMatch(stale))).status, 412, 'before the body is judged');
      t.equal(await app.eventCount(), before, 'leaves no row');
      t.equal((await put(app, endpoint, endpoint.body(3), ifMatch(current))).status, 200);
    });

    t.test('a set that never was', async (t) => {
      const app = await startTestApp(t, { settings });
      const answer = await put(app, endpoint, endpoint.body(1), ifMatch('"0"'));
      t.equal(answer.status, 412);
      t.equal(answer.headers.get('etag'), null);
      t.match(answer.json, { Message: /none yet. Send the call without If-Match/ });
      t.equal((await put(app, endpoint, endpoint.body(1), ifMatch('*'))).status, 200);
    });

    t.test('what is no list of tags', async (t) => {
      const app = await startTestApp(t, { settings });
      for (const value of ['5', '"5', '', '*, "5"', '"5" "6"']) {
        const answer = await put(app, endpoint, endpoint.body(1), ifMatch(value));
        t.equal(answer.status, 400, value);
        t.match(answer.text, /Header 'If-Match' must be/);
      }
      t.match(await rowsOf(app), { length: 5 }, 'each has its row');
    });

    t.test('a queued import, when it runs', async (t) => {
      const app = await startTestApp(t, { settings });
      await put(app, endpoint, endpoint.body(1));
      const etag = await etagOf(app, endpoint);
      const calls = [];
      for (const elements of [2, 3]) {
        const answer = await put(app, endpoint, endpoint.body(elements), ifMatch(etag, respondAsync.headers));
        t.equal(answer.status, 202, 'both are accepted: the set is as it was');
        calls.push(operationOf(answer));
      }
      await runQueue(app);
      const [first = '', second = ''] = calls;
      t.match(await rowOf(t, app, first), { HttpStatusCode: 200, Inserted: 1 });
      t.match(await rowOf(t, app, second), { HttpStatusCode: 412, CompletedOn: /Z$/, Inserted: 0 });
    });

    t.test('of two at the same time one is carried out', async (t) => {
      const app = await startTestApp(t, { settings });
      await put(app, endpoint, endpoint.body(1));
      const etag = await etagOf(app, endpoint);
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => put(app, endpoint, endpoint.body(2 + i), ifMatch(etag))),
      );
      t.same(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412]);
    });
  });
