import { LogWentBack, type Decision } from '@rollcall/application';
import t, { type Test } from 'tap';
import { countedLog } from '../support/counted-log.js';
import {
  another,
  appended,
  callContext,
  memoryStore,
  revoke,
  run,
  scripted,
  scriptedLog,
  stateText,
  stored,
  STREAM,
  tokenRevoked,
  type Names,
  type Request,
} from './decide-and-append.support.js';

/** A process that knows the stream with one event, on a log whose calls are counted. */
async function warm(t: Test) {
  const inner = await scriptedLog(t);
  const { log: counted, taken } = countedLog(inner);
  const log = scripted(counted);
  const store = memoryStore<Names>();
  const fresh = (jti: string, change: Partial<Request> = {}): Request =>
    revoke(jti, { store, fromMemory: true, isFresh: true, ...change });
  await run(log, fresh('a'));
  taken();
  return { inner, log, store, taken, fresh };
}

const append = `append ${STREAM}`;
const read = `read ${STREAM}`;

t.test('what is not in memory costs a read and an append', async (t) => {
  const { log, taken, fresh } = await warm(t);
  await run(log, fresh('b', { store: memoryStore<Names>() }));
  t.strictSame(taken(), [read, append]);
});

t.test('what is in memory costs the append, and its state is the next in memory', async (t) => {
  const { log, store, taken, fresh } = await warm(t);
  const outcome = appended(await run(log, fresh('b')));
  t.strictSame(taken(), [append]);
  t.strictSame(outcome.loaded.state, ['a', 'b'].map(stateText));
  await run(log, fresh('c'));
  t.strictSame(taken(), [append]);
  t.strictSame(store.kept.get(STREAM)?.state, ['a', 'b', 'c'].map(stateText));
  t.strictSame(await stored(log), ['a', 'b', 'c'].map(stateText), 'and the chain holds');
});

t.test('what is in memory is stale: it is folded on and decided again', async (t) => {
  const { inner, log, store, taken, fresh } = await warm(t);
  await run(inner, revoke('b'));
  const seen: number[] = [];
  const decide = (state: Names): Decision<string> => {
    seen.push(state.length);
    return { kind: 'events', events: [tokenRevoked(`c${state.length}`)] };
  };
  const outcome = appended(await run(log, fresh('', { decide })));
  t.strictSame(seen, [1, 2]);
  t.strictSame(taken(), [append, read, append]);
  t.strictSame(outcome.loaded.state, ['a', 'b', 'c2'].map(stateText));
  t.strictSame(store.kept.get(STREAM), outcome.loaded);
});

const judge = (state: Names): Decision<string> =>
  state.length === 1 ? { kind: 'refused', rejection: 'there is one' } : { kind: 'nothing' };

t.test('a refusal is decided at the end of the log, with one read', async (t) => {
  const { log, taken, fresh } = await warm(t);
  const outcome = await run(log, fresh('', { decide: judge }));
  t.match(outcome, { kind: 'refused', rejection: 'there is one' });
  t.strictSame(taken(), [read]);
});

t.test('a refusal of a state that is stale does not count', async (t) => {
  const { inner, log, taken, fresh } = await warm(t);
  await run(inner, revoke('b'));
  const outcome = await run(log, fresh('', { decide: judge }));
  t.equal(outcome.kind, 'nothing');
  t.strictSame(outcome.loaded.state, ['a', 'b'].map(stateText));
  t.strictSame(taken(), [read]);
  const late: Request['decide'] = (state) =>
    state.length === 2 ? { kind: 'nothing' } : { kind: 'events', events: [tokenRevoked('d')] };
  await run(inner, revoke('c'));
  t.equal(
    (await run(log, fresh('', { decide: late }))).kind,
    'appended',
    'nor does that nothing is to be done',
  );
});

t.test('somebody else has done the same operation: that is the outcome', async (t) => {
  const context = callContext();
  for (const decide of [judge, revoke('other data').decide]) {
    const { inner, log, fresh } = await warm(t);
    await run(inner, revoke('b', { context }));
    const outcome = appended(await run(log, fresh('', { context, decide, isFresh: false })));
    t.strictSame(outcome.loaded.state, ['a', 'b'].map(stateText));
    t.equal((await stored(log)).length, 2);
  }
});

t.test('the outcome of the append is unknown: the state is what stands in the log', async (t) => {
  for (const step of ['lost before', 'lost after'] as const) {
    const { log, store, fresh } = await warm(t);
    log.script = [step];
    const outcome = appended(await run(log, fresh('b')));
    t.strictSame(outcome.loaded.state, ['a', 'b'].map(stateText), step);
    t.strictSame(store.kept.get(STREAM), outcome.loaded);
    await run(log, fresh('c'));
    t.strictSame(await stored(log), ['a', 'b', 'c'].map(stateText), `${step}: and the chain holds`);
  }
});

t.test('a call is repeated later under the same id: the state is what the first one left', async (t) => {
  const { inner: log, store, fresh } = await warm(t);
  const context = callContext();
  await run(log, revoke('b', { context }));
  await run(log, fresh('b', { context: { ...context, receivedAt: '2026-11-21T09:00:01.000Z' } }));
  t.strictSame(store.kept.get(STREAM)?.state, ['a', 'b'].map(stateText));
  await run(log, fresh('c'));
  t.strictSame(await stored(log), ['a', 'b', 'c'].map(stateText), 'and the chain holds');
});

t.test('the outcome is unknown, and somebody went on behind it', async (t) => {
  const { inner, log, fresh } = await warm(t);
  log.script = ['lost after', another(inner, 'c')];
  await run(log, fresh('b'));
  await run(log, fresh('d'));
  t.strictSame(await stored(log), ['a', 'b', 'c', 'd'].map(stateText));
});

t.test('a wrong revision with nothing to show for it: what is appended then is read back', async (t) => {
  const { log, taken, fresh } = await warm(t);
  const through = log.append.bind(log);
  let tries = 0;
  log.append = (...given) =>
    (tries += 1) === 1 ? Promise.resolve({ outcome: 'wrong-revision', actual: 3 }) : through(...given);
  const outcome = appended(
    await run(log, fresh('b', { fold: { ...fresh('b').fold, touches: () => false } })),
  );
  t.strictSame(taken(), [read, append, read]);
  t.strictSame(outcome.loaded.state, ['a', 'b'].map(stateText));
});

t.test('an operation of which others may write events is read back', async (t) => {
  const { log, taken, fresh } = await warm(t);
  await run(log, fresh('b', { isFresh: false }));
  t.strictSame(taken(), [append, read]);
});

t.test('a log that was restored under the process is not answered for from memory', async (t) => {
  for (const names of [[], ['x', 'y'], ['x', 'y', 'z']]) {
    const { fresh, log } = await warm(t);
    const { log: older, taken } = countedLog(await scriptedLog(t));
    for (const name of names) await run(older, revoke(name));
    await t.rejects(run(older, fresh('', { decide: judge })), LogWentBack, `${names.length} other events`);
    await t.rejects(run(older, fresh('b')), LogWentBack);
    t.strictSame(await stored(older), names.map(stateText), 'and nothing is written');
    t.ok(taken().length > 0);
    t.strictSame(await stored(log), ['a'].map(stateText));
  }
});
