import { setTimeout as wait } from 'node:timers/promises';
import type { Imports } from '@rollcall/application';
import t, { type Test } from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { startTestApp, type Answer } from '../support/test-app.js';
import {
  endpoints,
  importSettings as settings,
  operationOf,
  payloads,
  put,
  replayed,
  respondAsync,
  rowOf,
  rowsOf,
  runQueue,
  withKey,
} from './imports.support.js';
import { exactly } from '../support/exactly.js';

const asyncWithKey = (key: string) => ({ headers: { ...withKey(key).headers, ...respondAsync.headers } });

/** Calls as a client does that takes a 409 as it is meant. */
async function insist(...call: Parameters<typeof put>): Promise<Answer> {
  for (;;) {
    const answer = await put(...call);
    if (answer.status !== 409) return answer;
    await wait(10);
  }
}

function sameAnswer(t: Test, again: Answer, first: Answer): void {
  t.equal(replayed(again), 'true');
  t.equal(again.status, first.status);
  t.same(again.json, first.json);
  for (const name of ['location', 'retry-after', 'preference-applied'])
    t.equal(again.headers.get(name), first.headers.get(name), name);
}

for (const endpoint of endpoints)
  t.test(endpoint.kind, async (t) => {
    t.test('carried out once', async (t) => {
      const app = await startTestApp(t, { settings });
      const first = await put(app, endpoint, endpoint.body(2), withKey('k'));
      t.same([first.status, replayed(first)], [200, null]);
      sameAnswer(t, await put(app, endpoint, endpoint.body(2), withKey('"k"')), first);
      t.equal((await put(app, endpoint, endpoint.body(1))).status, 200);
      const before = await rowsOf(app);
      sameAnswer(t, await put(app, endpoint, endpoint.body(2), withKey('k')), first);
      const upper = { ...endpoint, path: `${endpoint.path.toUpperCase()}/` };
      sameAnswer(t, await put(app, upper, endpoint.body(2), withKey('k')), first);
      sameAnswer(t, await put(app, endpoint, endpoint.body(2), asyncWithKey('k')), first);
      t.same(await rowsOf(app), before, 'no repeat has a row, and none undoes what came since');
    });

    t.test('queued once', async (t) => {
      const app = await startTestApp(t, { settings });
      const first = await put(app, endpoint, endpoint.body(2), asyncWithKey('k'));
      t.equal(first.status, 202);
      sameAnswer(t, await put(app, endpoint, endpoint.body(2), asyncWithKey('k')), first);
      t.equal((await runQueue(app)).length, 1);
      sameAnswer(t, await put(app, endpoint, endpoint.body(2), asyncWithKey('k')), first);
      t.same(await runQueue(app), [], 'also when it has ended');
      t.equal((await rowsOf(app)).length, 1);
      t.equal((await payloads(app)).length, 1);
      t.equal((await put(app, endpoint, endpoint.body(3), asyncWithKey('k'))).status, 422);
    });

    t.test('another body, another user, another path', async (t) => {
      const app = await startTestApp(t, { settings });
      await put(app, endpoint, endpoint.body(2), withKey('k'));
      const before = await app.eventCount();
      for (const body of [endpoint.body(3), endpoint.invalid, '{']) {
        const other = await put(app, endpoint, body, withKey('k'));
        t.equal(other.status, 422);
        t.match(other.json, { Message: /another body/ });
      }
      t.equal(await app.eventCount(), before, 'leaves no row');
      const token = app.token({ claims: { sub: '2' } });
      t.equal(replayed(await put(app, endpoint, endpoint.body(2), { ...withKey('k'), token })), null);
      for (const each of endpoints)
        if (each !== endpoint)
          t.same((await put(app, each, each.body(1), withKey('k'))).headers.get('idempotent-replayed'), null);
    });

    t.test('a refusal frees the key', async (t) => {
      const app = await startTestApp(t, { settings });
      for (const body of [endpoint.invalid, '{', '']) {
        t.equal((await put(app, endpoint, body, withKey('k'))).status, 400);
        t.equal((await put(app, endpoint, body, withKey('k'))).status, 400);
      }
      const stale = { headers: { ...withKey('k').headers, 'if-match': '"99"' } };
      t.equal((await put(app, endpoint, endpoint.body(1), stale)).status, 412);
      const answer = await put(app, endpoint, endpoint.body(2), withKey('k'));
      t.same([answer.status, replayed(answer)], [200, null]);
      sameAnswer(t, await put(app, endpoint, endpoint.body(2), { headers: { ...stale.headers } }), answer);
    });

    t.test('a queued import that failed frees the key', async (t) => {
      const app = await startTestApp(t, { settings });
      const etag = async () => {
        await app.projected();
        return (await app.call('GET', endpoint.setPath)).headers.get('etag') ?? '';
      };
      await put(app, endpoint, endpoint.body(1));
      const ifMatch = { headers: { ...asyncWithKey('k').headers, 'if-match': await etag() } };
      await put(app, endpoint, endpoint.body(2), respondAsync);
      const failing = operationOf(await put(app, endpoint, endpoint.body(3), ifMatch));
      await runQueue(app);
      t.match(await rowOf(t, app, failing), { HttpStatusCode: 412 });
      const fresh = await put(app, endpoint, endpoint.body(4), withKey('k'));
      t.same([fresh.status, replayed(fresh)], [200, null]);
    });

    t.test('a rehearsal takes no part', async (t) => {
      const app = await startTestApp(t, { settings });
      const query = '?dryRun=true';
      const rehearsed = await put(app, endpoint, endpoint.body(2), { ...withKey('k'), query });
      t.equal(rehearsed.status, 200);
      const first = await put(app, endpoint, endpoint.body(1), withKey('k'));
      t.same([first.status, replayed(first)], [200, null]);
      const again = await put(app, endpoint, endpoint.body(3), { ...withKey('k'), query });
      t.match([again.status, again.json, replayed(again)], exactly([200, { DryRun: true }, null]));
      t.equal((await put(app, endpoint, [], { headers: { 'idempotency-key': '' }, query })).status, 400);
    });

    t.test('under way in this process', async (t) => {
      const gate: { open?: () => void; reached?: () => void } = {};
      const reached = new Promise<void>((resolve) => (gate.reached = resolve));
      const opened = new Promise<void>((resolve) => (gate.open = resolve));
      const app = await startTestApp(t, { settings, wrapImports: (imports) => held(imports, gate, opened) });
      const first = put(app, endpoint, endpoint.body(1), withKey('k'));
      await reached;
      for (const body of [endpoint.body(1), endpoint.body(2)]) {
        const second = await put(app, endpoint, body, withKey('k'));
        t.equal(second.status, 409);
        t.equal(second.headers.get('retry-after'), '1');
        t.match(second.json, { Message: /under way/ });
      }
      const accepted = new Promise<void>((resolve) => (gate.reached = resolve));
      const rehearsed = put(app, endpoint, endpoint.body(2), { ...withKey('k'), query: '?dryRun=true' });
      await Promise.race([accepted, rehearsed]);
      gate.open?.();
      t.equal((await rehearsed).status, 200, 'a rehearsal does not wait for the key');
      const done = await first;
      sameAnswer(t, await put(app, endpoint, endpoint.body(1), withKey('k')), done);
      t.equal((await rowsOf(app)).length, 1, 'a 409 has no row');
    });

    t.test('two processes at once: one import', async (t) => {
      const one = await startTestApp(t, { settings });
      const two = await startTestApp(t, { beside: one });
      for (const [key, options] of [
        ['direct', withKey('direct')],
        ['queued', asyncWithKey('queued')],
      ] as const) {
        const body = endpoint.body(20, key);
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, i) => insist(i % 2 === 0 ? one : two, endpoint, body, options)),
        );
        const first = answers.filter((answer) => replayed(answer) === null);
        t.equal(first.length, 1, 'one is the first');
        t.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
      }
      t.equal((await rowsOf(one)).length, 2);
      t.equal((await payloads(one)).length, 1, 'who comes second leaves no payload');
      t.equal((await runQueue(two)).length, 1);
    });

    t.test('for 24 hours', async (t) => {
      const time = new ManualTime();
      const app = await startTestApp(t, { settings, clock: time, every: time.every });
      const exp = Math.floor(Date.now() / 1000) + 400_000;
      const later = async (ms: number) => {
        time.pass(ms - 1_000);
        await time.tick(1_000);
        return { ...withKey('k'), token: app.token({ claims: { exp } }) };
      };
      const first = await put(app, endpoint, endpoint.body(1), await later(0));
      const hour = 3_600_000;
      sameAnswer(t, await put(app, endpoint, endpoint.body(1), await later(23 * hour)), first);
      const next = await put(app, endpoint, endpoint.body(2), await later(2 * hour));
      t.same([next.status, replayed(next)], [200, null]);
    });
  });

/** Imports whose first call waits until it is let go. */
function held(imports: Imports, gate: { reached?: () => void }, opened: Promise<void>): Imports {
  return {
    ...imports,
    accept: async (request) => {
      gate.reached?.();
      await opened;
      return imports.accept(request);
    },
  };
}
