import { EventLogUnavailable, type Decision, type NewEvent } from '@rollcall/application';
import t from 'tap';
import {
  another,
  appended,
  callContext,
  prepared,
  revoke,
  run,
  scriptedLog,
  stateText,
  stored,
  tokenRevoked,
  type Names,
} from './decide-and-append.support.js';

t.test('what events refer to is written before each append that was decided anew', async (t) => {
  const log = await scriptedLog(t);
  const seen: string[] = [];
  log.script = [another(log, 'b')];
  const beforeAppend = async () => void seen.push(`at ${(await stored(log)).length}`);
  appended(await run(log, prepared('a', { beforeAppend })));
  t.strictSame(seen, ['at 0', 'at 1']);
  const failing = () => Promise.reject(new EventLogUnavailable('away'));
  await t.rejects(run(log, prepared('c', { beforeAppend: failing })), EventLogUnavailable);
  t.strictSame(await stored(log), [stateText('b'), stateText('a')]);
});

t.test('what was written for events that do not come after all is removed', async (t) => {
  const log = await scriptedLog(t);
  let kept = 0;
  const around = {
    beforeAppend: () => Promise.resolve(void (kept = 1)),
    removeUnused: () => Promise.resolve(void (kept = 0)),
  };
  const first = <D>(one: D, then: D) => {
    const decisions = [one];
    return () => decisions.pop() ?? then;
  };
  const revoked = { kind: 'events', events: [tokenRevoked('a')], ...around } as const;
  const removed: NewEvent = { name: 'ApiUserRevoked', data: { userId: 1 } };
  const others: readonly Decision<string>[] = [
    { kind: 'refused', rejection: 'no' },
    { kind: 'nothing' },
    { kind: 'events', events: [removed] },
  ];
  for (const other of others) {
    log.script = [another(log, 'b')];
    await run(log, revoke('a', { decide: first<Decision<string>>(revoked, other) }));
    t.equal(kept, 0, `${other.kind} in its place`);
  }
  log.script = [another(log, 'b')];
  appended(await run(log, prepared('a', around)));
  t.equal(kept, 1, 'decided twice, with the same event');
  const context = callContext();
  log.script = [another(log, 'c', { context })];
  appended(await run(log, prepared('c', around, { context })));
  t.equal(kept, 1, 'it is there already');
});

t.test('the state after an own event may be known already, but only of what was decided here', async (t) => {
  const log = await scriptedLog(t);
  const after = (state: Names): Names => [...state, 'known'];
  const first = appended(await run(log, prepared('a', { after })));
  t.strictSame(first.loaded.state, ['known']);
  const context = callContext();
  log.script = [another(log, 'b', { context })];
  const outcome = appended(await run(log, prepared('c', { after }, { context })));
  t.strictSame(outcome.loaded.state, [stateText('a'), stateText('b')], 'another process was first');
  log.script = ['lost after'];
  t.strictSame(appended(await run(log, prepared('d', { after }))).loaded.state.at(-1), 'known');
  const unknown = appended(await run(log, prepared('e', { after: () => undefined })));
  t.strictSame(unknown.loaded.state.at(-1), stateText('e'));
});
