import { EventLogUnavailable } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { idle, mustRunAlone, type Look } from './hand-runner.js';
import { settle, startRig, type WorkerRig } from './worker.support.js';
import { exactly } from '../support/exactly.js';

/** The next look, which has to be this one. */
async function look(t: Test, { runner }: WorkerRig, companyId: number, alone?: 'alone'): Promise<Look> {
  const look = await runner.look();
  t.equal(look.companyId, companyId);
  t.equal(look.options?.alone ?? false, alone === 'alone');
  return look;
}

/** Company 8 runs, 7 has been found to need to run alone, and 9 has come behind it. */
async function oneWaits(t: Test, rig: WorkerRig) {
  const running = rig.queue.deliver(8);
  const besideIt = await look(t, rig, 8);
  const suspect = rig.queue.deliver(7);
  (await look(t, rig, 7)).answer(mustRunAlone(7));
  await settle();
  const later = rig.queue.deliver(9);
  await settle();
  return { running, besideIt, suspect, later };
}

tap.test('an import that may end its process waits for all others, and all others for it', async (t) => {
  const rig = startRig(t);
  const { running, besideIt, suspect, later } = await oneWaits(t, rig);
  t.same(rig.runner.looked, [8, 7], 'nothing is begun while another import runs');
  besideIt.answer(idle(8));
  t.equal(await running.settled, 'ack');
  const alone = await look(t, rig, 7, 'alone');
  await settle();
  t.same(rig.runner.looked, [8, 7, 7], 'nor anything beside it');
  t.match(rig.log.of('warn'), exactly([{ details: { companyId: 7, starts: 2 } }]));
  t.equal(rig.counts.runAlone, 1);
  alone.answer(idle(7));
  t.equal(await suspect.settled, 'ack');
  (await look(t, rig, 9)).answer(idle(9));
  t.equal(await later.settled, 'ack');
});

tap.test('an outage of one that runs alone lets the others go on', async (t) => {
  const rig = startRig(t);
  const suspect = rig.queue.deliver(7);
  (await look(t, rig, 7)).answer(mustRunAlone(7));
  const alone = await look(t, rig, 7, 'alone');
  const others = [8, 9].map((company) => rig.queue.deliver(company));
  alone.fail(new EventLogUnavailable('away'));
  t.equal(await suspect.settled, 'nak 1000');
  const looks = [await look(t, rig, 8), await look(t, rig, 9)];
  for (const each of looks) each.answer(idle(each.companyId));
  t.same(await Promise.all(others.map(({ settled }) => settled)), ['ack', 'ack']);
});

tap.test('what waits when the worker is told to stop is left to others', async (t) => {
  const rig = startRig(t);
  const { running, besideIt, suspect, later } = await oneWaits(t, rig);
  const stopped = rig.stop();
  besideIt.answer(idle(8));
  await stopped;
  t.equal(await running.settled, 'ack');
  t.same(await Promise.all([suspect.settled, later.settled]), ['nak 0', 'nak 0']);
  t.same(rig.runner.looked, [8, 7]);
});
