import {
  CHAIN_START,
  foldStream,
  LogCorrupt,
  verifyChain,
  type Decision,
  type EventLog,
} from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import {
  appended,
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
import { scale, seed } from '../support/scale.js';

t.test('a state that is stale is folded on; only the rest is read', async (t) => {
  const log = await scriptedLog(t);
  const store = memoryStore<Names>();
  await run(log, revoke('a', { store }));
  await run(log, revoke('b'));
  let evolved = 0;
  const fold = {
    ...namesFold,
    evolve: (...args: Parameters<typeof namesFold.evolve>) => (evolved++, namesFold.evolve(...args)),
  };
  const outcome = appended(await run(log, revoke('c', { store, fold })));
  t.strictSame(outcome.loaded.state, ['a', 'b', 'c'].map(stateText));
  t.equal(evolved, 2);
  t.strictSame(store.kept.get(STREAM), outcome.loaded);
});

t.test('a fold stops where the chain is broken or an event is missing', async (t) => {
  const log = await scriptedLog(t);
  await run(log, revoke('a'));
  await run(log, revoke('b'));
  const whole = await foldStream(log, STREAM, namesFold);
  const foreign = { state: [], head: { ...whole.head, revision: 0, chain: 'f'.repeat(64) } };
  await t.rejects(foldStream(log, STREAM, namesFold, foreign), LogCorrupt);
  const gap: EventLog = { ...log, readStream: (stream) => log.readStream(stream, { from: 1 }) };
  await t.rejects(foldStream(gap, STREAM, namesFold), LogCorrupt);
});

t.test('property: any snapshot and its tail equal a fold from the beginning', async (t) => {
  const log = await scriptedLog(t);
  t.comment(`TEST_SEED=${seed}`);
  let streams = 0;
  const turns = fc.array(
    fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  await fc.assert(
    fc.asyncProperty(turns, fc.nat(), async (decisions, choice) => {
      const stream = `survey-${streams++}`;
      const snapshots = [
        { state: namesFold.initial(), head: { revision: 'no-stream', chain: CHAIN_START, recordedAt: null } },
      ] as Parameters<typeof foldStream<Names>>[3][];
      for (const jtis of decisions) {
        const decide = (): Decision<string> => ({ kind: 'events', events: jtis.map(tokenRevoked) });
        snapshots.push((await run(log, revoke('', { stream, decide }))).loaded);
      }
      const fromStart = await foldStream(log, stream, namesFold);
      const snapshot = snapshots[choice % snapshots.length];
      t.strictSame(await foldStream(log, stream, namesFold, snapshot), fromStart);
      t.strictSame(snapshots.at(-1), fromStart);
    }),
    { numRuns: Math.max(10, Math.round(200 * scale)), seed },
  );
});

t.test('many deciders at once: every event once, every decision at a state of its own', async (t) => {
  const log = await scriptedLog(t);
  const decide = (state: Names): Decision<string> => ({
    kind: 'events',
    events: [tokenRevoked(`${state.length}`)],
  });
  await Promise.all(Array.from({ length: 20 }, () => run(log, revoke('', { decide }))));
  t.strictSame(
    await stored(log),
    Array.from({ length: 20 }, (_, n) => stateText(`${n}`)),
  );
  let chain = CHAIN_START;
  for await (const event of log.readStream(STREAM)) chain = verifyChain(chain, event);
});
