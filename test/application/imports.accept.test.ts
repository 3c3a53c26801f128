import { CHAIN_START, EventLogUnavailable, readPayload, verifyChain } from '@rollcall/application';
import type { ImportQueued, PayloadReference } from '@rollcall/contracts';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { withMembers } from '../support/with-members.js';
import { callContext } from './decide-and-append.support.js';
import {
  append,
  company,
  configure,
  dataOf,
  done,
  metadataOf,
  names,
  payloads,
  people,
  queue,
  recorded,
  request,
  roles,
  stateOf,
  stream,
} from './imports.support.js';

t.test('a queued import: its body is in the log before the event that refers to it', async (t) => {
  const { log, engine } = await company(t);
  const long = `${' '.repeat(1_200_000)}${JSON.stringify(people(1))}`;
  const call = request('employees', long, { prefersAsync: true, method: 'PUT /x', key: 'k' });
  const { operationId } = call.context;
  const outcome = await engine().accept(call);
  t.match(outcome, { kind: 'queued', operationId, replayed: false });
  const [, event] = await recorded(log, stream);
  t.equal(event?.type, 'ImportQueued');
  const data = dataOf(event);
  t.match(data, {
    operationId,
    kind: 'employees',
    method: 'PUT /x',
    elements: 1,
    ifMatch: null,
    retryOf: null,
  });
  t.match(metadataOf(event), call.context);
  const pieces = await recorded(log, `payload-${operationId}`);
  t.equal(pieces.length, 3);
  t.ok(
    pieces.every(
      ({ position, contentType }) => position < (event?.position ?? 0n) && contentType === 'binary',
    ),
  );
  t.ok(pieces.every(({ data: { byteLength } }) => byteLength <= 524_288));
  let chain = CHAIN_START;
  for (const piece of pieces) chain = verifyChain(chain, piece);
  const body = await readPayload(log, data['payload'] as PayloadReference);
  t.equal(Buffer.from(body).toString(), long);
  t.same(await names(log, `operation-${operationId}`), [], 'nothing beside');
});

t.test('the same conditions for both kinds, on the state that the event is appended to', async (t) => {
  const place = await company(t, { queueThreshold: 3 });
  const { log, engine } = place;
  t.same(done(await engine().accept(request('employees', people(1, 2)))), [2, 0, 0]);
  t.match(await engine().accept(request('employees', people(1, 2, 3))), { kind: 'queued' });
  t.match(await engine().accept(request('employees', people(1))), { kind: 'queued' }, 'behind the other');
  t.match(await engine().accept(request('managers', roles(1))), { kind: 'queued' }, 'the same user');
  const stranger = callContext({ userId: 43 });
  t.match(await engine().accept(request('managers', roles(1), { context: stranger })), { kind: 'queued' });
  t.equal((await stateOf(place)).pending.length, 4);
  t.equal((await payloads(log)).length, 4);
});

t.test(
  'a full queue refuses what its size would queue, and nothing that is carried out at once',
  async (t) => {
    const place = await company(t);
    const operationId = await queue(place.engine(), 'employees', people(1), { context: { userId: 43 } });
    const [, queued] = await recorded(place.log, stream);
    const { payload, ...data } = dataOf(queued) as unknown as ImportQueued;
    const full = {
      ...data,
      operationId: callContext().operationId,
      payload: { ...payload, bytes: 2 * 1024 ** 3 },
    };
    await append(place, { name: 'ImportQueued', data: full }, { userId: 43 });
    const ids = Array.from({ length: 200 }, (_, at) => at + 1);
    const engine = place.engine();
    t.same(await engine.accept(request('managers', roles(...ids))), { kind: 'queue-full' });
    t.same(await payloads(place.log), [`payload-${operationId}`]);
    t.same(done(await engine.accept(request('managers', roles(...ids.slice(1))))), [199, 0, 0]);
  },
);

t.test('managers at once, with their counts', async (t) => {
  const { engine, log } = await company(t);
  t.same(done(await engine().accept(request('managers', roles(1, 2, 3)))), [3, 0, 0]);
  t.same(done(await engine().accept(request('managers', roles(3)))), [0, 2, 2]);
  t.same(done(await engine().accept(request('managers', roles(3)))), [0, 0, 0]);
  t.same((await names(log)).slice(1), [
    'ManagerRolesImported',
    'ManagerRolesImported',
    'ManagerRolesConfirmed',
  ]);
});

t.test('a list that would be queued is checked first, and leaves nothing when it is refused', async (t) => {
  const { engine, log } = await company(t);
  const bad = request('employees', [...people(1), {}], { prefersAsync: true });
  t.match(await engine().accept(bad), { kind: 'refused', errors: { length: 5 } });
  t.match(await engine().accept(request('managers', '{', { prefersAsync: true })), { kind: 'refused' });
  t.same(await payloads(log), []);
  t.same(await names(log), ['CompanyConfigured']);
  t.same(await names(log, `operation-${bad.context.operationId}`), ['ImportRefused']);
});

t.test('a call that ends otherwise than queued takes its payload with it', async (t) => {
  const place = await company(t);
  const { engine, log } = place;
  const before = await queue(engine(), 'employees', people(1));
  const appending = (event: Parameters<typeof append>[1]) => () => append(place, event);
  const cancelled = { name: 'ImportCancelled', data: { operationId: before, kind: 'employees' } } as const;
  log.script = ['through', appending(cancelled)];
  t.same(done(await engine().accept(request('employees', people(2)))), [1, 0, 0], 'nothing is pending now');
  log.script = ['through', () => configure(place, { integrationEnabled: false })];
  const off = request('employees', people(2), { prefersAsync: true });
  t.match(await engine().accept(off), {
    kind: 'refused',
    errors: exactly(['Company integration is not allowed']),
  });
  t.same(await payloads(log), [`payload-${before}`]);
});

t.test('a payload that cannot be deleted takes nothing back of a call that is done', async (t) => {
  const place = await company(t);
  const { engine } = place;
  const before = await queue(engine(), 'employees', people(1));
  const cancelled = { name: 'ImportCancelled', data: { operationId: before, kind: 'employees' } } as const;
  place.log.script = ['through', () => append(place, cancelled)];
  const log = withMembers(place.log, {
    deleteStream: () => Promise.reject(new EventLogUnavailable('away')),
  });
  t.same(done(await engine({ log }).accept(request('employees', people(2)))), [1, 0, 0]);
  t.equal((await payloads(log)).length, 2, 'it is left to the sweeper');
});

t.test(
  'where the log is away nothing is queued, and what may have been queued keeps its payload',
  async (t) => {
    const { engine, log } = await company(t);
    log.script = Array.from({ length: 6 }, () => 'lost before' as const);
    await t.rejects(
      engine().accept(request('employees', people(1), { prefersAsync: true })),
      EventLogUnavailable,
    );
    t.same(await names(log), ['CompanyConfigured']);
    log.script = ['through', ...Array.from({ length: 6 }, () => 'lost after' as const)];
    const call = request('employees', people(1), { prefersAsync: true });
    await t.rejects(engine().accept(call), EventLogUnavailable);
    t.same(await names(log), ['CompanyConfigured', 'ImportQueued']);
    t.match(await engine().runOldest(7), { kind: 'ended', outcome: 'done' });
  },
);

t.test('two calls at once with one key, in two processes: one import', async (t) => {
  const { engine, log } = await company(t);
  for (const prefersAsync of [false, true]) {
    const call = () => request('employees', people(1), { key: `k${prefersAsync}`, prefersAsync });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => engine().accept(call())));
    const [first] = outcomes.filter((each) => 'replayed' in each && !each.replayed);
    t.equal(outcomes.filter((each) => 'replayed' in each && each.replayed).length, 5);
    t.ok(first && 'operationId' in first);
    for (const each of outcomes) {
      t.match(each, { kind: first?.kind, operationId: first && 'operationId' in first && first.operationId });
      if (each.kind === 'done') t.same(done(each), [1, 0, 0], 'with the first answer');
    }
  }
  t.same(await names(log), ['CompanyConfigured', 'EmployeeSetReplaced', 'ImportQueued']);
  t.equal((await payloads(log)).length, 1);
});

t.test(
  'a key after a crash between append and answer: the first answer, also after another list',
  async (t) => {
    const { engine, log } = await company(t);
    const call = () => request('employees', people(1), { key: 'k' });
    log.script = Array.from({ length: 6 }, () => 'lost after' as const);
    await t.rejects(engine().accept(call()), EventLogUnavailable);
    await engine().accept(request('employees', people(1, 2)));
    const again = await engine().accept(call());
    t.match(again, { kind: 'done', replayed: true, counts: { inserted: 1 } });
    t.same(await engine().accept(request('employees', people(3), { key: 'k' })), { kind: 'key-reused' });
    t.equal((await names(log)).length, 3);
  },
);

t.test('a refusal frees the key, and so does a cancelled import', async (t) => {
  const place = await company(t, { batchLimit: 0 });
  const { engine } = place;
  const bad = () => request('employees', '[{}]', { key: 'k' });
  t.match(await engine().accept(bad()), { kind: 'refused' });
  t.match(await engine().accept(bad()), { kind: 'refused' }, 'looked at again');
  const operationId = await queue(engine(), 'employees', people(1), { key: 'k' });
  t.match(await engine().accept(request('employees', people(1), { key: 'k' })), {
    kind: 'queued',
    operationId,
  });
  await append(place, { name: 'ImportCancelled', data: { operationId, kind: 'employees' } });
  t.match(await engine().accept(request('employees', people(2), { key: 'k' })), { kind: 'done' });
});

t.test('a body that is the last accepted one is not read again', async (t) => {
  const { engine } = await company(t);
  const list = request('employees', people(1, 2, 3));
  await engine().accept(list);
  const unread = { ...request('employees', 'not looked at'), bodySha256: list.bodySha256 };
  t.same(done(await engine().accept(unread)), [0, 0, 0]);
  const later = { ...unread, context: callContext(), prefersAsync: true };
  t.match(await engine().accept(later), { kind: 'queued' });
});

t.test('If-Match: the revision of the set, and what a queued import keeps of it', async (t) => {
  const place = await company(t);
  const { engine } = place;
  await engine().accept(request('employees', people(1)));
  const ask = (ifMatch: readonly number[], change: object = {}) =>
    engine().accept(request('employees', people(1), { ifMatch, ...change }));
  t.same(await ask([7]), { kind: 'precondition-failed', current: 1 });
  t.same(await ask([7], { dryRun: true }), { kind: 'precondition-failed', current: 1 });
  t.match(await ask([0, 1]), { kind: 'done' });
  t.match(await ask([0, 1], { prefersAsync: true }), { kind: 'queued' });
  t.equal((await stateOf(place)).pending[0]?.ifMatch, 1);
  t.same(await engine().accept(request('managers', roles(1), { ifMatch: [1] })), {
    kind: 'precondition-failed',
    current: null,
  });
});
