import tap from 'tap';
import type { HandDelivery } from './hand-queue.js';
import { ended, idle, type Look } from './hand-runner.js';
import { answer, settle, startRig } from './worker.support.js';

tap.test('companies run side by side, as many as the worker is told', async (t) => {
  const rig = startRig(t, 3);
  const deliveries = [7, 8, 9].map((company) => rig.queue.deliver(company));
  const looks = [await rig.runner.look(), await rig.runner.look(), await rig.runner.look()];
  t.same(
    looks.map(({ companyId }) => companyId),
    [7, 8, 9],
  );
  const fourth = rig.queue.deliver(10);
  await settle();
  t.same(rig.runner.looked, [7, 8, 9], 'and no more');
  for (const look of looks.toReversed()) look.answer(idle(look.companyId));
  t.same(await Promise.all(deliveries.map(({ settled }) => settled)), ['ack', 'ack', 'ack']);
  await answer(rig, idle);
  t.equal(await fourth.settled, 'ack');
});

tap.test('large imports, running or waiting for a thread, hold up no other company', async (t) => {
  const rig = startRig(t, 2);
  const large: HandDelivery[] = [];
  const own: Look[] = [];
  for (const company of [7, 8, 9]) {
    large.push(rig.queue.deliver(company));
    const look = await rig.runner.look();
    t.equal(look.companyId, company);
    look.options?.onOwnThread?.();
    own.push(look);
  }
  const small = [10, 11].map((company) => rig.queue.deliver(company));
  await answer(rig, idle);
  await answer(rig, idle);
  t.same(await Promise.all(small.map(({ settled }) => settled)), ['ack', 'ack']);
  for (const look of own) look.answer(ended(look.companyId));
  for (let left = large.length; left > 0; left -= 1) await answer(rig, idle);
  t.same(await Promise.all(large.map(({ settled }) => settled)), ['ack', 'ack', 'ack']);
  t.equal(rig.counts.imports.done, 3);
});
