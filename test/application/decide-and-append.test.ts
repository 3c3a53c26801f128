import { decideAndAppend, eventId, EventLogUnavailable, type Decision } from '@rollcall/application';
import t from 'tap';
import {
  another,
  appended,
  callContext,
  clockAt,
  memoryStore,
  namesFold,
  revoke,
  run,
  scriptedLog,
  stateText,
  stored,
  STREAM,
  tokenRevoked,
  type Names,
} from './decide-and-append.support.js';

t.test('a decision is appended, and its events are in the state', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext({ idempotency: { keyHash: 'k', bodySha256: 'a'.repeat(64) } });
  const outcome = appended(await run(log, revoke('a', { context })));
  t.equal(outcome.repeated, false);
  t.strictSame(outcome.loaded.state, [stateText('a')]);
  t.equal(outcome.loaded.head.revision, 0);
  t.equal(outcome.position, await log.lastPosition());
  t.equal(outcome.events.length, 1);
  const { chain, ...metadata } = outcome.events[0]?.metadata ?? { chain: '' };
  t.strictSame(metadata, { ...context, recordedAt: '2026-11-21T09:00:00.000Z' });
  t.equal(chain, outcome.loaded.head.chain);
});

t.test('several events of one decision get their own positions', async (t) => {
  const log = await scriptedLog(t);
  const events = [tokenRevoked('a'), tokenRevoked('b'), tokenRevoked('c')];
  const outcome = appended(await run(log, revoke('', { decide: () => ({ kind: 'events', events }) })));
  const positions = outcome.events.map((event) => event.position);
  t.strictSame(positions, [1n, 2n, 3n]);
  t.equal(outcome.position, 3n);
  t.strictSame(outcome.loaded.state, ['a', 'b', 'c'].map(stateText));
});

t.test('a refusal and a decision for nothing append nothing', async (t) => {
  const log = await scriptedLog(t);
  const store = memoryStore<Names>();
  await run(log, revoke('a'));
  const refuse = (state: Names): Decision<string> => ({
    kind: 'refused',
    rejection: `known: ${state.length}`,
  });
  const refused = await run(log, revoke('', { decide: refuse, store }));
  t.strictSame(refused.kind === 'refused' && refused.rejection, 'known: 1');
  t.equal((await run(log, revoke('', { decide: () => ({ kind: 'nothing' }) }))).kind, 'nothing');
  t.equal((await run(log, revoke('', { decide: () => ({ kind: 'events', events: [] }) }))).kind, 'nothing');
  t.equal(log.appends.length, 1);
  t.strictSame(store.kept.get(STREAM), refused.loaded, 'what was folded is remembered');
});

t.test('unknown outcome, not written: the same append again', async (t) => {
  const log = await scriptedLog(t);
  log.script = ['lost before', 'lost before'];
  const outcome = appended(await run(log, revoke('a')));
  t.equal(outcome.repeated, false);
  t.equal(log.appends.length, 3);
  t.strictSame(log.appends[2]?.ids, log.appends[0]?.ids);
  t.strictSame(log.appends[2]?.expected, 'no-stream');
  t.strictSame(await stored(log), [stateText('a')]);
});

t.test('unknown outcome, written: found, and not written twice', async (t) => {
  const log = await scriptedLog(t);
  log.script = ['lost after'];
  const outcome = appended(await run(log, revoke('a')));
  t.equal(outcome.loaded.head.revision, 0);
  t.strictSame(await stored(log), [stateText('a')]);
  await run(log, revoke('b'));
  t.strictSame(await stored(log), [stateText('a'), stateText('b')]);
});

t.test('unknown outcome, written, and others went on: found, and not written twice', async (t) => {
  const log = await scriptedLog(t);
  log.script = ['lost after', another(log, 'b')];
  const outcome = appended(await run(log, revoke('a')));
  t.strictSame(outcome.loaded.state, [stateText('a')]);
  t.strictSame(await stored(log), [stateText('a'), stateText('b')]);
});

t.test('unknown outcome, not written, and others went on: decided again', async (t) => {
  const log = await scriptedLog(t);
  log.script = ['lost before', another(log, 'b')];
  const decide = (state: Names): Decision<string> => ({
    kind: 'events',
    events: [tokenRevoked(`a${state.length}`)],
  });
  const outcome = appended(await run(log, revoke('', { decide })));
  t.strictSame(outcome.loaded.state, [stateText('b'), stateText('a1')]);
});

t.test('an outage that lasts is thrown', async (t) => {
  const log = await scriptedLog(t);
  log.script = Array.from({ length: 50 }, () => 'lost before' as const);
  await t.rejects(run(log, revoke('a')), EventLogUnavailable);
  t.ok(log.appends.length > 2 && log.appends.length < 20);
});

t.test('where each attempt takes seconds there are few of them', async (t) => {
  const log = await scriptedLog(t);
  log.script = Array.from({ length: 50 }, () => 'lost before' as const);
  let now = 0;
  const deps = {
    log,
    clock: clockAt('2026-11-21T09:00:00Z'),
    sleep: async () => {},
    timer: () => (now += 5_000),
  };
  await t.rejects(decideAndAppend(deps, revoke('a')), EventLogUnavailable);
  t.equal(log.appends.length, 1);
});

t.test(
  'a log that elects its leader is waited for, at growing distances, for as long as a call has',
  async (t) => {
    const log = await scriptedLog(t);
    let now = 0;
    const slow = (): Promise<void> => {
      now += 2_000;
      return Promise.reject(new EventLogUnavailable('no leader', { isTransient: true }));
    };
    log.script = [slow, slow, slow, slow];
    const waits: number[] = [];
    const deps = {
      log,
      clock: clockAt('2026-11-21T09:00:00Z'),
      sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
      timer: () => now,
    };
    appended(await decideAndAppend(deps, revoke('a')));
    t.ok(
      waits.every((ms, n) => ms >= 100 * 2 ** n && ms <= 150 * 2 ** n) && waits.length === 4,
      'with jitter',
    );
    log.script = Array.from({ length: 50 }, () => slow);
    await t.rejects(decideAndAppend(deps, revoke('b')), EventLogUnavailable);
    t.equal(log.appends.length, 5 + 10, 'for 20 s');
  },
);

t.test('wrong revision, touched: decided again', async (t) => {
  const log = await scriptedLog(t);
  let decisions = 0;
  const decide = (state: Names): Decision<string> => {
    decisions += 1;
    return state.length > 0
      ? { kind: 'refused', rejection: 'too late' }
      : { kind: 'events', events: [tokenRevoked('a')] };
  };
  log.script = [another(log, 'b')];
  const outcome = await run(log, revoke('', { decide }));
  t.equal(decisions, 2);
  t.strictSame(outcome.kind === 'refused' && outcome.rejection, 'too late');
  t.strictSame(outcome.loaded.state, [stateText('b')]);
});

t.test('wrong revision, not touched: appended at the new head without deciding again', async (t) => {
  const log = await scriptedLog(t);
  let decisions = 0;
  const decide = (): Decision<string> => {
    decisions += 1;
    return { kind: 'events', events: [tokenRevoked('a')] };
  };
  log.script = [another(log, 'b'), 'through', another(log, 'c')];
  const fold = { ...namesFold, touches: () => false };
  const outcome = appended(await run(log, revoke('', { decide, fold })));
  t.equal(decisions, 1);
  t.strictSame(outcome.loaded.state, ['b', 'c', 'a'].map(stateText));
  t.strictSame(await stored(log), ['b', 'c', 'a'].map(stateText), 'and the chain holds');
});

t.test('wrong revision, some touch and some do not: decided again', async (t) => {
  const log = await scriptedLog(t);
  let decisions = 0;
  const decide = (): Decision<string> => {
    decisions += 1;
    return { kind: 'events', events: [tokenRevoked('a')] };
  };
  log.script = [
    async () => {
      await run(log, revoke('b'));
      await run(log, revoke('c'));
    },
  ];
  const fold = { ...namesFold, touches: (event: { revision: number }) => event.revision === 0 };
  await run(log, revoke('', { decide, fold }));
  t.equal(decisions, 2);
});

t.test('an event of this operation among those folded is the outcome', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const first = appended(await run(log, revoke('a', { context })));
  await run(log, revoke('b'));
  const again = appended(await run(log, revoke('other data', { context })));
  t.equal(again.repeated, true);
  t.equal(again.position, first.position);
  t.strictSame(
    again.events.map((event) => event.id),
    first.events.map((event) => event.id),
  );
  t.strictSame(await stored(log), [stateText('a'), stateText('b')]);
});

t.test('the same operation in two processes at once has one outcome', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const later = clockAt('2026-11-21T10:00:00Z');
  log.script = [() => decideAndAppend({ log, clock: later }, revoke('a', { context }))];
  const outcome = appended(await run(log, revoke('a', { context })));
  t.equal(outcome.repeated, true);
  t.equal(outcome.loaded.head.recordedAt, '2026-11-21T10:00:00.000Z', 'as it stands in the log');
  const store = memoryStore<Names>();
  store.put(STREAM, outcome.loaded);
  await run(log, revoke('b', { store }));
  t.strictSame(await stored(log), [stateText('a'), stateText('b')], 'and the chain holds');
});

t.test('an operation that comes to the stream twice has two outcomes', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const second = { context, idOf: () => eventId(context.operationId, STREAM, 1) };
  await run(log, revoke('a', { context }));
  await run(log, revoke('b'));
  const outcome = appended(await run(log, revoke('c', second)));
  t.equal(outcome.repeated, false);
  log.script = ['lost after'];
  t.equal(appended(await run(log, revoke('d', second))).position, outcome.position);
  t.strictSame(await stored(log), [stateText('a'), stateText('b'), stateText('c')]);
});

t.test('recordedAt never goes back within a stream', async (t) => {
  const log = await scriptedLog(t);
  await decideAndAppend({ log, clock: clockAt('2026-11-21T12:00:00.500Z') }, revoke('a'));
  const outcome = appended(
    await decideAndAppend({ log, clock: clockAt('2026-11-21T11:00:00Z') }, revoke('b')),
  );
  t.equal(outcome.loaded.head.recordedAt, '2026-11-21T12:00:00.500Z');
});

t.test('events and contexts that do not fit are bugs, and nothing is written', async (t) => {
  const log = await scriptedLog(t);
  const events = [{ name: 'ApiTokenRevoked' as const, data: { jti: '' } }];
  await t.rejects(run(log, revoke('', { decide: () => ({ kind: 'events', events }) })), TypeError);
  await t.rejects(run(log, revoke('a', { context: callContext({ companyId: 0 }) })), TypeError);
  t.equal(await log.lastPosition(), undefined);
});

t.test('a wrong revision with nothing to show for it ends as an outage', async (t) => {
  const log = await scriptedLog(t);
  log.append = () => Promise.resolve({ outcome: 'wrong-revision', actual: 3 });
  await t.rejects(
    run(log, revoke('a', { fold: { ...namesFold, touches: () => false } })),
    EventLogUnavailable,
  );
  await t.rejects(run(log, revoke('a')), EventLogUnavailable);
});
