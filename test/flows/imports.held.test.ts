import { CompanyStateCache, decideHeldImport, systemClock } from '@rollcall/application';
import type { ApiCall } from '@rollcall/contracts';
import { Digester } from '@rollcall/employee-lists';
import t from 'tap';
import { people } from '../application/imports.support.js';
import { noSleep } from '../application/decide-and-append.support.js';
import { employeesBody } from '../generators/employees.js';
import { followed } from '../support/queued-calls.js';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, startTestApp, testContext, type Answer, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { operationOf, respondAsync, rowOf, runQueue } from './imports.support.js';
import { exactly } from '../support/exactly.js';

const path = `/v1.0/Company/${companyId}/Employee`;
const settings = { batchLimit: 25, overLimit: 'hold', queueThreshold: null } as const;

const put = (app: TestApp, ids: readonly number[]): Promise<Answer> =>
  app.call('PUT', path, { body: people(...ids) });

const present = async (app: TestApp): Promise<number> =>
  ((await app.call('GET', path)).json as readonly unknown[]).length;

async function decide(app: TestApp, decision: 'approve' | 'reject', operationId: string): Promise<void> {
  const { log, snapshots } = app.adapters;
  const digester = new Digester(app.store.digestKey);
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  const deps = { log, clock: systemClock, digester, states, sleep: noSleep };
  const outcome = await decideHeldImport(
    deps,
    { ...testContext(companyId), reason: 'asked HR' },
    { companyId, operationId, decision },
  );
  if (outcome.kind === 'refused') throw new Error(outcome.rejection.reason);
}

async function reasonOf(app: TestApp, answer: Answer): Promise<string> {
  const [row] = (await app.call('GET', answer.headers.get('location') ?? '')).json as ApiCall[];
  return `${row?.HttpStatusCode} ${row?.HttpStatusReason}`;
}

const shows = (app: TestApp, answer: Answer, reason: string): Promise<unknown> =>
  until(reason, async () => (await reasonOf(app, answer)) === reason);

t.test('an import over the limit is held, and one behind it waits, until somebody decides', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { ...settings, batchLimitFrom: 4 } });
  t.equal((await put(app, [1, 2, 3, 4])).status, 200);
  for (const decision of ['approve', 'reject'] as const) {
    const before = await present(app);
    const held = await put(app, [1]);
    t.match(held, { status: 202, json: { Inserted: 0, Updated: 0, Removed: 0, WasQueued: true } });
    const behind = await put(app, [1, 2, 3, 4]);
    t.equal(behind.status, 202);
    await shows(app, held, '202 Held: awaiting approval');
    t.match(await rowOf(t, app, operationOf(held)), { CompletedOn: null, Inserted: 0, Removed: 3 });
    await shows(app, behind, `202 Waiting behind held import ${operationOf(held)}`);
    t.equal(await present(app), before);
    await decide(app, decision, operationOf(held));
    const [first, second] = [await followed(app, held), await followed(app, behind)];
    const approved = { HttpStatusCode: 200, HttpStatusReason: 'OK', Removed: 3 };
    t.match(first.last, decision === 'approve' ? approved : { HttpStatusCode: 409 });
    t.match(second.last, { HttpStatusCode: 200, Inserted: decision === 'approve' ? 3 : 0 });
    t.ok((first.last.CompletedOn ?? '') <= (second.last.CompletedOn ?? ''));
    t.equal(await present(app), 4);
  }
});

const large = employeesBody(2_000);
const fewer = employeesBody(1_000);

/** Without a length, so that nobody knows beforehand how large it is. */
const chunked = (app: TestApp): string =>
  `PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${app.token()}\r\n` +
  `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;

const chunksOf = (body: Buffer): Buffer[] =>
  [body.subarray(0, 100_000), body.subarray(100_000), Buffer.alloc(0)].map((chunk) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
  );

t.test('a body that is read as it arrives is held alike, and so is a queued one', async (t) => {
  t.ok(fewer.length > 256 * 1024, `${fewer.length} bytes`);
  const app = await startTestApp(t, { settings });
  t.equal((await app.call('PUT', path, { body: large })).status, 200);
  const ways = {
    'with its length': async () => operationOf(await app.call('PUT', path, { body: fewer })),
    'without a length': async () => {
      const text = await sendRaw(app.port, [chunked(app), ...chunksOf(fewer)]);
      t.equal(statusOf(text), 202);
      return (JSON.parse(bodyOf(text)) as { ApiOperationId: string }).ApiOperationId;
    },
    queued: async () => {
      const answer = await app.call('PUT', path, { body: fewer, ...respondAsync });
      t.match(await runQueue(app), exactly([{ outcome: 'held' }]), 'the worker holds it');
      return operationOf(answer);
    },
  };
  for (const [way, send] of Object.entries(ways)) {
    const operationId = await send();
    t.match(
      await rowOf(t, app, operationId),
      { HttpStatusReason: 'Held: awaiting approval', Removed: 1_000 },
      way,
    );
    t.same(await runQueue(app), [], 'nothing runs');
    await decide(app, way === 'queued' ? 'approve' : 'reject', operationId);
    if (way === 'queued') t.match(await runQueue(app), exactly([{ operationId, outcome: 'done' }]));
  }
  await app.projected();
  t.equal(await present(app), 1_000);
});
