import t, { type Test } from 'tap';
import { companyId, startTestApp } from '../support/test-app.js';

const path = `/v1.0/Company/${companyId}/Employee`;
const rowsPath = `/v1.0/Company/${companyId}/ApiCalls?Top=100`;

/** An app with a clock that is moved by hand. */
async function startAt(t: Test, begin: number) {
  const now = { ms: begin };
  const tasks: (() => Promise<void>)[] = [];
  const app = await startTestApp(t, {
    clock: { now: () => now.ms },
    every: (_ms, task) => {
      tasks.push(task);
      return () => undefined;
    },
  });
  const pass = async (ms: number): Promise<void> => {
    now.ms += ms;
    for (const task of tasks) await task();
  };
  return { app, pass };
}

t.test('after 60 refused imports of a user in a minute there are no more, and no more rows', async (t) => {
  const { app, pass } = await startAt(t, Date.now());
  const invalid = [() => app.call('PUT', path, { body: [{}] }), () => app.call('PUT', path, { body: '{' })];
  for (let i = 0; i < 60; i++) {
    if (i === 30) await pass(1_000);
    t.equal((await invalid[i % 2]?.())?.status, 400);
  }
  const before = await app.eventCount();
  for (const call of [
    ...invalid,
    () => app.call('PUT', path, { body: [] }),
    () => app.call('PUT', `${path}?nonsense=1`, { body: [] }),
    () => app.call('PUT', `/v1.0/User/${companyId}/ManagerImport`, { body: { ManagerRoles: [] } }),
    () => app.call('PUT', `${path}?dryRun=true`, { body: [] }),
  ]) {
    const answer = await call();
    t.equal(answer.status, 429);
    t.equal(answer.headers.get('retry-after'), '59');
    t.match(answer.json, { Message: /imports of this API user were refused/ });
  }
  t.equal(await app.eventCount(), before, 'no row');
  t.equal((await app.call('GET', rowsPath)).status, 200, 'everything else goes on');
  await pass(59_000);
  t.equal((await app.call('PUT', path, { body: [] })).status, 200, 'until the minute is over');
});

t.test('rehearsals count where they are refused, and leave no row', async (t) => {
  const { app, pass } = await startAt(t, Date.now());
  const rehearsal = `${path}?dryRun=true`;
  const before = await app.eventCount();
  for (let i = 0; i < 20; i++) {
    t.equal((await app.call('PUT', rehearsal, { body: [{}] })).status, 400);
    t.equal((await app.call('PUT', rehearsal, { body: '{' })).status, 400);
    t.equal((await app.call('PUT', rehearsal, { body: [] })).status, 200, 'others do not');
    t.equal((await app.call('PUT', `${rehearsal}&nonsense=1`, { body: [] })).status, 400);
  }
  t.equal((await app.call('PUT', rehearsal, { body: [] })).status, 429);
  t.equal((await app.call('PUT', path, { body: [] })).status, 429);
  t.equal(await app.eventCount(), before);
  await pass(-3_600_000);
  t.equal((await app.call('PUT', rehearsal, { body: [] })).status, 200, 'the clock was set back');
});

t.test('a row is much smaller than the answer', async (t) => {
  const app = await startTestApp(t);
  const body = Array.from({ length: 100 }, () => ({}));
  const answer = await app.call('PUT', path, { body });
  const { ValidationErrors, ApiOperationId } = answer.json as {
    ValidationErrors: string[];
    ApiOperationId: string;
  };
  t.ok(ValidationErrors.length >= 100);
  await app.projected();
  const [row] = (await app.call('GET', `${rowsPath}&ApiOperationId=${ApiOperationId}`)).json as [
    { ValidationErrors: string[] },
  ];
  t.same(row.ValidationErrors, [
    ...ValidationErrors.slice(0, 20),
    `... and ${ValidationErrors.length - 20} more`,
  ]);
});

t.test('a company with too many kept keys is a 429', async (t) => {
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({ ...imports, accept: () => Promise.resolve({ kind: 'keys-full' }) }),
  });
  const answer = await app.call('PUT', path, { body: [], headers: { 'idempotency-key': 'k' } });
  t.equal(answer.status, 429);
  t.equal(answer.headers.get('retry-after'), '600');
  t.match(answer.json, { Message: /Idempotency-Keys of this company are kept/ });
});

t.test('a queue that is full is a 429', async (t) => {
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({ ...imports, accept: () => Promise.resolve({ kind: 'queue-full' }) }),
  });
  const answer = await app.call('PUT', path, { body: [] });
  t.equal(answer.status, 429);
  t.equal(answer.headers.get('retry-after'), '30');
  t.match(answer.json, { Message: /imports of this company are pending/ });
});
