import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@rollcall/employee-lists/testing';
import t from 'tap';
import { dataFolderPlace, outboxPlace } from './write-places.js';
import { WriteWatch } from './write-watch.js';

t.test('the probe writes, leaves nothing, and says what keeps it from that', async (t) => {
  const folder = t.testdir();
  await dataFolderPlace(folder).probe();
  await outboxPlace(folder).probe();
  t.same(await readdir(folder), []);
  await t.rejects(dataFolderPlace(join(folder, 'gone')).probe(), { code: 'ENOENT' });
});

t.test('where there is room it is tried only after a write has failed', async (t) => {
  let takes = false;
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const probe = () => (takes ? Promise.resolve() : Promise.reject(full));
  const watch = new WriteWatch([{ name: 'data folder', probe, isScarce: () => Promise.resolve(false) }]);
  const problem = { problem: 'the data folder cannot be written: ENOSPC', isOutage: true };
  t.same(await watch.problems(), [], 'nothing has failed');
  for (const fail of [() => watch.observe('append', 0.1, true), watch.suspect]) {
    fail();
    watch.observe('readStream', 0.1, false);
    t.same(await watch.problems(), [problem]);
    t.same(await watch.problems(), [problem], 'still');
    watch.observe('append', 0.1, false);
    t.same(await watch.problems(), []);
  }
  watch.suspect();
  takes = true;
  t.same(await watch.problems(), []);
  takes = false;
  t.same(await watch.problems(), [], 'once it takes the probe it is over');
});

t.test('where little is free every place is tried, whatever has failed or not', async (t) => {
  const free = { outbox: true };
  const place = (name: string, takes: () => boolean) => ({
    name,
    probe: () => (takes() ? Promise.resolve() : Promise.reject(new Error('full'))),
    isScarce: () => Promise.resolve(!takes()),
  });
  const watch = new WriteWatch([place('data folder', () => true)]);
  watch.watch(place('outbox', () => free.outbox));
  t.same(await watch.problems(), []);
  free.outbox = false;
  t.match(await watch.problems(), exactly([{ problem: /^the outbox cannot be written/ }]));
  watch.observe('append', 0.1, false);
  t.match(await watch.problems(), exactly([{ problem: /^the outbox/ }]), 'another place is no proof');
  free.outbox = true;
  t.same(await watch.problems(), []);
});

t.test('a probe that succeeds late is no answer, and ends it all the same', async (t) => {
  const probes: (() => void)[] = [];
  const probe = () => new Promise<void>((resolve) => probes.push(resolve));
  const watch = new WriteWatch([{ name: 'data folder', probe, isScarce: () => Promise.resolve(false) }], 1);
  const late = [{ problem: 'the data folder cannot be written: no answer', isOutage: true }];
  watch.suspect();
  t.same(await watch.problems(), late);
  t.same(await watch.problems(), late, 'still');
  t.equal(probes.length, 1, 'one at a time');
  watch.suspect();
  probes[0]?.();
  await new Promise(setImmediate);
  t.same(await watch.problems(), late, 'it began before the second failure');
  t.equal(probes.length, 2);
  probes[1]?.();
  await new Promise(setImmediate);
  t.same(await watch.problems(), []);
  t.equal(probes.length, 2, 'nothing is left to prove');
});
