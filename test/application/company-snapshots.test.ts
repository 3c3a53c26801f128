import { projections, CompanySnapshots, runProjector } from '@rollcall/projector';
import { type EventLog, type LoadedEvent, loadEvent } from '@rollcall/application';

import assert from 'node:assert/strict';

import { companyStateVersion } from '@rollcall/domain';

import t, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import type { Rig } from '../projector/projector.support.js';
import {
  company,
  digester,
  foldedBeside,
  sameState,
  sender,
  stateAt,
  statesOf,
  stream,
} from './company-states.support.js';
import { countedLog } from '../support/counted-log.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';

/** A projector that keeps snapshots, or none, on a log that counts what is read. */
function projecting(t: Test, place: Rig, keepsSnapshots: boolean) {
  const { log, taken } = countedLog(place.log);
  const snapshots = new CompanySnapshots({ ...place, log, digester, cacheBytes: 10_000_000 });
  const stop = new AbortController();
  let applied = -1n;
  const kept = {
    beside: (event: LoadedEvent) => snapshots.beside(event),
    onApplied: (event: LoadedEvent) => {
      snapshots.onApplied(event);
      applied = event.position;
      return Promise.resolve();
    },
  };
  const run = { ...place, log, projections, signal: stop.signal };
  const running = runProjector(keepsSnapshots ? { ...run, ...kept } : run);
  t.teardown(() => {
    stop.abort();
    return running;
  });
  /** How often large data was read since it was asked before, up to the log's end. */
  return async (): Promise<number> => {
    const last = await place.log.lastPosition();
    assert.ok(last !== undefined && (await place.readModels.reachedPosition(last, 20_000)));
    // A projector says what it applied only after the position is there.
    if (keepsSnapshots) await until('the last event is applied', () => applied >= last);
    await snapshots.settled();
    return taken().filter((call) => call.startsWith('read data-')).length;
  };
}

t.test('the projector keeps a snapshot, and a process that knows nothing decides from it', async (t) => {
  const { place, send } = await company(t);
  const settled = projecting(t, place, true);
  const people = generatedEmployees(2000);
  await send(people);
  await settled();
  const fresh = statesOf(place.snapshots);
  const snapshotted = await fresh.snapshot(stream, -1);
  t.equal(snapshotted?.head.revision, 1);
  t.equal(snapshotted?.state.employees.count, 2000);
  t.match(await sender(place, fresh)(people.slice(1).reverse()), {
    counts: { inserted: 0, updated: 0, removed: 1 },
  });
});

t.test('of a large set nothing is read once more for its snapshot', async (t) => {
  const lists = [
    generatedEmployees(2000),
    [],
    generatedEmployees(4000).map((each) => ({ ...each, JobTitle: 'Other' })),
  ];
  const reads = async (keepsSnapshots: boolean): Promise<number[]> => {
    const { place, send } = await company(t);
    const settled = projecting(t, place, keepsSnapshots);
    const found = [];
    for (const [at, list] of lists.entries()) {
      await send(list);
      found.push(await settled());
      if (!keepsSnapshots || list.length === 0) continue;
      const snapshotted = await statesOf(place.snapshots).snapshot(stream, -1);
      t.equal(snapshotted?.head.revision, at + 1);
      if (snapshotted) sameState(snapshotted.state, (await stateAt(place.log, at + 1)).state);
    }
    return found;
  };
  const without = await reads(false);
  t.ok((without[0] ?? 0) > 0 && (without[2] ?? 0) > 0, 'they are large');
  t.strictSame(await reads(true), without);
});

t.test('a snapshot is due behind events that were projected with others', async (t) => {
  const { place, send } = await company(t);
  const settled = projecting(t, place, true);
  const people = generatedEmployees(700);
  await send(people);
  await settled();
  t.equal(await statesOf(place.snapshots).snapshot(stream, -1), undefined, 'too little for one');
  await send(people.map((each) => ({ ...each, JobTitle: 'Other' })));
  await settled();
  const snapshotted = await statesOf(place.snapshots).snapshot(stream, -1);
  t.equal(snapshotted?.head.revision, 2);
  if (snapshotted) sameState(snapshotted.state, (await stateAt(place.log, 2)).state);
});

async function eventAt(log: EventLog, revision: number): Promise<LoadedEvent> {
  for await (const recorded of log.readStream(stream, { from: revision })) return loadEvent(log, recorded);
  throw new Error('it is not there');
}

t.test('restarts do not put a snapshot off, and bring none forward', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(20));
  const event = await eventAt(place.log, 1);
  const { snapshots } = place;
  const restarted = async (from: number, events: number): Promise<void> => {
    const keeper = new CompanySnapshots({ ...place, digester, cacheBytes: 10_000_000 });
    for (let revision = from; revision < from + events; revision += 1) {
      keeper.onApplied({ ...event, revision, size: 800 });
      await keeper.settled();
    }
  };
  for (const from of [0, 200, 400]) await restarted(from, 200);
  t.equal(await snapshots.newest(stream, companyStateVersion), undefined, '600 events weigh too little');
  await restarted(600, 200);
  const first = await snapshots.newest(stream, companyStateVersion);
  t.match(first, { revision: 1 });
  assert.ok(typeof first === 'object');
  await snapshots.put({ ...first, revision: 700 });
  for (const from of [800, 1_000, 1_200]) await restarted(from, 100);
  t.match(await snapshots.newest(stream, companyStateVersion), { revision: 700 }, 'it is counted from there');
  await restarted(1_300, 100);
  t.match(await snapshots.newest(stream, companyStateVersion), { revision: 1 }, 'another one is due');
});

t.test('a set that does not fit the state before it gives no snapshot, and no error', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(20));
  await send(generatedEmployees(19));
  const event = await eventAt(place.log, 2);
  t.ok((await foldedBeside(await stateAt(place.log, 1), event)).after);
  t.equal(
    (await foldedBeside(await stateAt(place.log, 0), event)).after,
    undefined,
    'who leaves is not there',
  );
});

t.test('no snapshot is made of a state that is not of this log any more', async (t) => {
  const [one, other] = [await company(t), await company(t)];
  await one.send(generatedEmployees(2000));
  await other.send(generatedEmployees(1999));
  await other.send(generatedEmployees(4000));
  const warned: unknown[] = [];
  const logger = {
    info: () => undefined,
    error: () => undefined,
    warn: (said: object) => void warned.push(said),
  };
  let { log } = one.place;
  const readStream: EventLog['readStream'] = (...given) => log.readStream(...given);
  const moving = withMembers<EventLog>(log, { readStream });
  const { snapshots } = one.place;
  const keeper = new CompanySnapshots({ log: moving, snapshots, digester, cacheBytes: 10_000_000, logger });
  keeper.onApplied(await eventAt(log, 1));
  await keeper.settled();
  t.match(await snapshots.newest(stream, companyStateVersion), { revision: 1 });
  ({ log } = other.place);
  const event = await eventAt(log, 2);
  t.equal(await keeper.beside(event), undefined);
  keeper.onApplied(event);
  await keeper.settled();
  t.match(await snapshots.newest(stream, companyStateVersion), { revision: 1 });
  t.equal(warned.length, 2);
});
