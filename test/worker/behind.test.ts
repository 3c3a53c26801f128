import { companyHasWork, type RunResult } from '@rollcall/application';
import tap from 'tap';
import { ended, idle } from './hand-runner.js';
import { startRig, type WorkerRig } from './worker.support.js';
import { exactly } from '../support/exactly.js';

async function answer(rig: WorkerRig, result: (companyId: number) => RunResult): Promise<void> {
  const look = await rig.runner.look();
  look.answer(result(look.companyId));
}

tap.test('a message of what was not read yet comes again, a while long', async (t) => {
  const rig = startRig(t);
  const upTo = (revision: number) => (company: number) => idle(company, true, revision);
  const behind = rig.queue.deliver(companyHasWork(7, 5));
  await answer(rig, upTo(4));
  t.equal(await behind.settled, 'nak 1000', 'a node that was cut off does not have it');
  t.match(rig.log.of('warn'), exactly([{ details: { companyId: 7, upTo: 4 } }]));
  t.equal(rig.counts.outage, 1);
  t.equal(rig.counts.unknownCompany, 0);
  const again = rig.queue.deliver(companyHasWork(7, 5), 2);
  await answer(rig, (company) => idle(company, false, 5));
  t.equal(await again.settled, 'ack');
  const older = rig.queue.deliver(companyHasWork(7, 3));
  const look = await rig.runner.look();
  t.equal(await rig.queue.deliver(companyHasWork(7, 9)).settled, 'ack', 'one that joins a run');
  look.answer(ended(7));
  await answer(rig, upTo(8));
  t.equal(await older.settled, 'nak 1000', 'counts for that run');
  const ofAnother = rig.queue.deliver(companyHasWork(7, 9), 7);
  await answer(rig, upTo(8));
  t.equal(await ofAnother.settled, 'ack', 'a log that was restored from an older copy never has it');
});

tap.test('an import that ended as the last one needs no further look', async (t) => {
  const rig = startRig(t);
  const last = (revision: number) => (companyId: number) => ({ ...ended(companyId), idleUpTo: revision });
  const alone = rig.queue.deliver(companyHasWork(7, 3));
  await answer(rig, last(4));
  t.equal(await alone.settled, 'ack');
  const behind = rig.queue.deliver(companyHasWork(7, 9));
  await answer(rig, last(8));
  t.equal(await behind.settled, 'nak 1000', 'of which the message is not known yet');
  const asked = rig.queue.deliver(companyHasWork(7, 9), 2);
  const look = await rig.runner.look();
  t.equal(await rig.queue.deliver(companyHasWork(7, 9)).settled, 'ack', 'one that joins a run');
  look.answer(last(9)(7));
  await answer(rig, (company) => idle(company, false, 9));
  t.equal(await asked.settled, 'ack');
});
