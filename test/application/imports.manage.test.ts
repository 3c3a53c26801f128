import {
  cancelQueuedImport,
  companyIds,
  companyOfOperation,
  knownImport,
  PayloadCorrupt,
  readPayload,
  retryQueuedImport,
  type CancelOutcome,
  type RetryOutcome,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import {
  company,
  configure,
  dataOf,
  manage,
  metadataOf,
  names,
  payloads,
  people,
  queue,
  recorded,
  request,
  roles,
  runAll,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { exactly } from '../support/exactly.js';

const person = (change: Partial<CallContext> = {}): CallContext =>
  callContext({ userId: null, username: 'cli:ann@host', reason: 'the wrong file', ...change });

const cancel = (on: Company, operationId: string, context = person()): Promise<CancelOutcome> =>
  cancelQueuedImport(manage(on), context, { companyId: 7, operationId });

const retry = (on: Company, operationId: string, more: { force?: boolean; context?: CallContext } = {}) => {
  const { force = false, context = person() } = more;
  return retryQueuedImport(manage(on), context, { companyId: 7, operationId, force });
};

function queuedAgain(outcome: RetryOutcome): string {
  if (outcome.kind !== 'queued') throw new Error(`the retry is ${JSON.stringify(outcome.rejection)}`);
  return outcome.operationId;
}

const refused = (rejection: object): object => ({ kind: 'refused', rejection });
const lastOf = async (on: Company) => (await recorded(on.log, stream)).at(-1);
const pendingOf = async (on: Company): Promise<string[]> =>
  (await stateOf(on)).pending.map(({ operationId }) => operationId);

/** An import that a rule refused when it ran. */
async function failedImport(on: Company): Promise<string> {
  const operation = await queue(on.engine(), 'employees', people(1, 2));
  await configure(on, { integrationEnabled: false });
  await runAll(on.engine());
  await configure(on, { integrationEnabled: true });
  return operation;
}

t.test('a pending import is cancelled: it is never run, and the log says who and why', async (t) => {
  const on = await company(t);
  const first = await queue(on.engine(), 'employees', people(1));
  const second = await queue(on.engine(), 'managers', roles(1), { key: 'k' });
  t.match(await cancel(on, second), { kind: 'cancelled', position: BigInt });
  const event = await lastOf(on);
  t.equal(event?.type, 'ImportCancelled');
  t.same(dataOf(event), { operationId: second, kind: 'managers' });
  t.match(metadataOf(event), {
    companyId: 7,
    userId: null,
    username: 'cli:ann@host',
    reason: 'the wrong file',
  });
  t.same(await pendingOf(on), [first]);
  t.match(await runAll(on.engine()), exactly([{ operationId: first, outcome: 'done' }]));
  t.match(
    await on.engine().accept(request('managers', roles(2), { key: 'k' })),
    { kind: 'done' },
    'its key is free',
  );
});

t.test('what is not pending is not cancelled, and its state is named', async (t) => {
  const on = await company(t);
  // Its event is stored in chunks.
  const many = people(...Array.from({ length: 3_000 }, (_, at) => at + 1));
  const done = await queue(on.engine(), 'employees', many);
  await runAll(on.engine());
  const failed = await failedImport(on);
  const cancelled = await queue(on.engine(), 'employees', people(1));
  await cancel(on, cancelled);
  const direct = await on.engine().accept(request('employees', people(1)));
  const before = await names(on.log);
  for (const [operationId, status] of [
    [done, 'done'],
    [failed, 'failed'],
    [cancelled, 'cancelled'],
  ] as const)
    t.same(await cancel(on, operationId), refused({ reason: 'not-pending', status }), status);
  if (direct.kind !== 'done') throw new Error(direct.kind);
  t.same(await cancel(on, direct.operationId), refused({ reason: 'never-queued' }));
  t.same(await names(on.log), before);
});

t.test('a worker that runs an import while it is cancelled comes too late, or first', async (t) => {
  const on = await company(t);
  const late = await queue(on.engine(), 'employees', people(1));
  let cancelling: Promise<CancelOutcome> | undefined;
  // The first append is that of `ImportStarted`, the second that of the terminal event.
  on.log.script = ['through', () => (cancelling = cancel(on, late))];
  t.match(await on.engine().runOldest(7), { kind: 'ended', outcome: 'elsewhere' });
  t.match(await cancelling, { kind: 'cancelled' });
  t.equal((await names(on.log)).at(-1), 'ImportCancelled');
  t.equal((await stateOf(on)).employees.count, 0);

  const first = await queue(on.engine(), 'employees', people(1));
  on.log.script = [() => runAll(on.engine())];
  t.same(await cancel(on, first), refused({ reason: 'not-pending', status: 'done' }));
  t.equal((await names(on.log)).at(-1), 'EmployeeSetReplaced');
});

t.test('an append of unknown outcome cancels once', async (t) => {
  const on = await company(t);
  for (const step of ['lost before', 'lost after'] as const) {
    const operation = await queue(on.engine(), 'employees', people(1));
    on.log.script = [step];
    t.match(await cancel(on, operation), { kind: 'cancelled' }, step);
  }
  t.equal((await names(on.log)).filter((name) => name === 'ImportCancelled').length, 2);
});

t.test('an import that failed is tried again at the end of the queue, as an import of its own', async (t) => {
  const on = await company(t);
  const failed = await failedImport(on);
  const other = await queue(on.engine(), 'managers', roles(1));
  const context = person({ receivedAt: '2026-11-22T12:00:00.000Z' });
  const again = queuedAgain(await retry(on, failed, { context }));
  t.equal(again, context.operationId);
  const event = await lastOf(on);
  t.match(dataOf(event), {
    operationId: again,
    kind: 'employees',
    method: 'PUT',
    elements: 2,
    retryOf: failed,
  });
  t.match(metadataOf(event), { operationId: again, userId: null, reason: 'the wrong file' });
  t.same(await pendingOf(on), [other, again]);

  const old = await knownImport(on.log, 7, failed);
  const known = await knownImport(on.log, 7, again);
  if (!old || !known) throw new Error('an import is not known');
  t.match([old.status, known.status], exactly(['failed', 'pending']));
  t.same(await readPayload(on.log, known.queued.payload), await readPayload(on.log, old.queued.payload));
  t.same((await payloads(on.log)).length, 3);

  t.match(
    await runAll(on.engine()),
    exactly([
      { operationId: other, outcome: 'done' },
      { operationId: again, outcome: 'done' },
    ]),
  );
  t.match(metadataOf(await lastOf(on)), { operationId: again, receivedAt: '2026-11-22T12:00:00.000Z' });
  t.equal((await stateOf(on)).employees.count, 2);
  t.same(await retry(on, again), refused({ reason: 'not-ended-badly', status: 'done' }));
});

t.test('a cancelled import is tried again; what is pending or was never queued is not', async (t) => {
  const on = await company(t);
  const operation = await queue(on.engine(), 'employees', people(1));
  t.same(await retry(on, operation), refused({ reason: 'not-ended-badly', status: 'pending' }));
  await cancel(on, operation);
  const again = queuedAgain(await retry(on, operation));
  t.same(await pendingOf(on), [again]);
  t.same(
    await retry(on, operation),
    refused({ reason: 'newer-accepted', revision: 3 }),
    'its retry is the newer one',
  );
  const direct = await company(t);
  const outcome = await direct.engine().accept(request('employees', people(1)));
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  t.same(await retry(direct, outcome.operationId), refused({ reason: 'never-queued' }));
});

t.test('a newer set keeps an older one away, unless it is forced', async (t) => {
  const on = await company(t);
  const failed = await failedImport(on);
  await on.engine().accept(request('managers', roles(1)));
  await on.engine().accept(request('employees', people(8, 9)));
  const before = await names(on.log);
  t.match(await retry(on, failed), refused({ reason: 'newer-accepted', revision: before.length - 1 }));
  t.same(await names(on.log), before);
  t.equal((await payloads(on.log)).length, 1, 'no copy is left');
  queuedAgain(await retry(on, failed, { force: true }));
  await runAll(on.engine());
  t.equal((await stateOf(on)).employees.count, 2);
});

t.test('a newer set that is accepted in between counts, and the copy goes', async (t) => {
  const on = await company(t);
  const failed = await failedImport(on);
  const newer = () => on.engine().accept(request('employees', people(9)));
  // The copy is appended first.
  on.log.script = ['through', newer];
  t.match(await retry(on, failed), refused({ reason: 'newer-accepted' }));
  t.same(await payloads(on.log), [`payload-${failed}`]);
  t.equal((await names(on.log)).at(-1), 'EmployeeSetReplaced');
  t.same(await pendingOf(on), []);
});

t.test('appends of unknown outcome retry once', async (t) => {
  for (const script of [
    ['lost before'],
    ['lost after'],
    ['through', 'lost before'],
    ['through', 'lost after'],
  ] as const) {
    const on = await company(t);
    const failed = await failedImport(on);
    on.log.script = [...script];
    const again = queuedAgain(await retry(on, failed));
    t.same(await pendingOf(on), [again], script.join());
    t.match(await runAll(on.engine()), exactly([{ operationId: again, outcome: 'done' }]), script.join());
  }
});

t.test('without its body an import cannot be tried again', async (t) => {
  const on = await company(t);
  const failed = await failedImport(on);
  await on.log.deleteStream(`payload-${failed}`);
  t.same(await retry(on, failed), refused({ reason: 'payload-gone' }));
  t.same(await retry(on, failed, { force: true }), refused({ reason: 'payload-gone' }));
  t.same(await pendingOf(on), []);
});

t.test('a body that is another one is not queued', async (t) => {
  const on = await company(t);
  const failed = await failedImport(on);
  const payload = `payload-${failed}`;
  const damaged: Company['log'] = {
    ...on.log,
    readStream: async function* (name, options) {
      for await (const event of on.log.readStream(name, options))
        yield name === payload ? { ...event, data: Buffer.from(event.data).fill(0x20, 3, 4) } : event;
    },
  };
  const error = await retry({ ...on, log: damaged }, failed).catch((thrown: unknown) => thrown);
  t.ok(error instanceof PayloadCorrupt);
  t.match(error, { message: new RegExp(`${payload} .*SHA-256`) });
  t.same(await pendingOf(on), []);
});

t.test('the company of an operation is found by what it left behind', async (t) => {
  const on = await company(t);
  const deps = { log: on.log, readModels: on.readModels };
  const queued = await queue(on.engine(), 'employees', people(1));
  t.equal(await companyOfOperation(deps, queued), 7, 'by its payload');
  await runAll(on.engine());
  await on.log.deleteStream(`payload-${queued}`);
  t.equal(await companyOfOperation(deps, queued), 7, 'by what its attempts left');
  const direct = await on.engine().accept(request('employees', people(1)));
  if (direct.kind !== 'done') throw new Error(direct.kind);
  t.equal(await companyOfOperation(deps, direct.operationId), undefined, 'it left its row only');
  const row = {
    op: 'put',
    collection: 'api-calls',
    key: [7, direct.operationId],
    revision: 0,
    value: Buffer.from('{}'),
  } as const;
  await on.readModels.write([[row]]);
  t.equal(await companyOfOperation(deps, direct.operationId), 7);
  t.equal(await companyOfOperation(deps, callContext().operationId), undefined);
  for (const companyId of [10, 9]) await configure(on, {}, companyId);
  t.strictSame(await companyIds(on.log), [7, 9, 10], 'by rising id');
});
