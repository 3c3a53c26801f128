import {
  EventLogUnavailable,
  LogCorrupt,
  QueueUnavailable,
  ReadModelsUnavailable,
} from '@rollcall/application';
import tap from 'tap';
import { attemptFailed, ended, idle } from './hand-runner.js';
import { answer, settle, startRig } from './worker.support.js';
import { exactly } from '../support/exactly.js';

tap.test('a company is run until nothing is pending, then its message is acked', async (t) => {
  const rig = startRig(t);
  const delivery = rig.queue.deliver(7);
  await answer(rig, ended);
  await answer(rig, (company) => ended(company, 'elsewhere'));
  await answer(rig, (company) => ended(company, 'failed'));
  t.same(delivery.calls, [], 'not before');
  await answer(rig, idle);
  t.equal(await delivery.settled, 'ack');
  t.same(rig.runner.looked, [7, 7, 7, 7]);
  t.match(rig.counts, { deliveries: 1, imports: { done: 1, elsewhere: 1, failed: 1 }, outage: 0 });
  t.match(rig.log.of('info')[2]?.details, { outcome: 'failed', reason: 'gave up after 3 attempts' });
  t.same(rig.log.of('error'), []);
  await rig.stop();
});

tap.test('a message without work is acked', async (t) => {
  const rig = startRig(t);
  const delivery = rig.queue.deliver(7);
  await answer(rig, idle);
  t.equal(await delivery.settled, 'ack');
});

tap.test('a message for a company that nobody knows goes, told and counted', async (t) => {
  const rig = startRig(t);
  const delivery = rig.queue.deliver(99);
  await answer(rig, (company) => idle(company, true));
  t.equal(await delivery.settled, 'term');
  t.equal(rig.counts.unknownCompany, 1);
  t.match(rig.log.of('error'), exactly([{ details: { companyId: 99 } }]));
});

tap.test('what is no message goes, told and counted, and nobody is looked at', async (t) => {
  const rig = startRig(t);
  const texts = [
    '',
    '{',
    'null',
    '{"type":"company-has-work"}',
    '{"type":"company-has-work","companyId":0}',
    '{"type":"company-has-work","companyId":"7"}',
    '{"type":"send-invitation","companyId":7}',
  ];
  for (const text of texts) t.equal(await rig.queue.deliver(Buffer.from(text)).settled, 'term', text);
  t.equal(rig.counts.malformed, texts.length);
  t.equal(rig.log.of('error').length, texts.length);
  t.same(rig.runner.looked, []);
  const delivery = rig.queue.deliver(7);
  await answer(rig, idle);
  t.equal(await delivery.settled, 'ack', 'the next one is as good as ever');
});

tap.test('an attempt that failed comes again, later each time', async (t) => {
  const rig = startRig(t);
  for (const [attempt, settled] of [
    [1, 'nak 1000'],
    [2, 'nak 2000'],
    [3, 'nak 4000'],
  ] as const) {
    const delivery = rig.queue.deliver(7, attempt);
    await answer(rig, attemptFailed);
    t.equal(await delivery.settled, settled);
  }
  t.equal(rig.counts.attemptFailed, 3);
  t.match(rig.log.of('warn')[0]?.details, { companyId: 7, attempt: 1, problem: /payload-1/ });
});

tap.test('an outage is told to the queue as an outage', async (t) => {
  const rig = startRig(t);
  const outages = [
    new EventLogUnavailable('the event log is away'),
    new ReadModelsUnavailable('the read models are away'),
    new QueueUnavailable('the queue is away'),
  ];
  for (const [index, outage] of outages.entries()) {
    const delivery = rig.queue.deliver(7, index + 1);
    (await rig.runner.look()).fail(outage);
    t.equal(await delivery.settled, `nak ${1000 * 2 ** index}`);
    t.match(rig.log.of('warn').at(-1)?.details, { companyId: 7, problem: outage.message });
  }
  t.match(rig.counts, { outage: 3, attemptFailed: 0, error: 0 });
});

tap.test('a corrupt stream is named and put off; other companies go on', async (t) => {
  const rig = startRig(t);
  const corrupt = rig.queue.deliver(7);
  const other = rig.queue.deliver(8);
  const look = await rig.runner.look();
  look.fail(new LogCorrupt('the event at revision 3 of company-7 is of no known type'));
  await answer(rig, ended);
  await answer(rig, idle);
  t.equal(await corrupt.settled, 'nak 300000');
  t.equal(await other.settled, 'ack');
  t.equal(rig.counts.corrupt, 1);
  t.match(rig.log.of('error'), exactly([{ details: { companyId: 7, problem: /revision 3 of company-7/ } }]));
});

tap.test('an error that nobody foresaw is put off, and its text is told to nobody', async (t) => {
  const rig = startRig(t);
  const delivery = rig.queue.deliver(7, 2);
  (await rig.runner.look()).fail(new TypeError('cannot read ada.berg@example.com'));
  t.equal(await delivery.settled, 'nak 10000');
  t.equal(rig.counts.error, 1);
  const [line] = rig.log.of('error');
  t.match(line?.details, { companyId: 7, problem: 'TypeError' });
  t.ok(Array.isArray(line?.details['frames']), 'with where it happened');
  t.notMatch(JSON.stringify(rig.log.lines), /ada\.berg/);
});

tap.test('while a run lasts the queue hears of it, and not any longer', async (t) => {
  const rig = startRig(t);
  const delivery = rig.queue.deliver(7);
  const look = await rig.runner.look();
  await rig.time.tick(rig.queue.ackDeadlineMs - 1);
  t.same(delivery.calls, ['working', 'working'], 'twice before the deadline');
  rig.queue.broken = new Set(['working']);
  await rig.time.tick(1);
  t.match(rig.log.of('warn'), exactly([{ details: { problem: 'away' } }]), 'a lost word is told');
  look.answer(idle(7));
  t.equal(await delivery.settled, 'ack', 'and ends nothing');
  await settle();
  await rig.time.tick(rig.queue.ackDeadlineMs);
  t.same(delivery.calls, ['working', 'working', 'working', 'ack']);
});

tap.test('a settlement that does not reach the queue does no harm', async (t) => {
  const rig = startRig(t);
  rig.queue.broken = new Set(['settle']);
  const delivery = rig.queue.deliver(7);
  await answer(rig, idle);
  await delivery.settled;
  await settle();
  t.equal(rig.counts.unsettled, 1);
  rig.queue.broken = new Set();
  const again = rig.queue.deliver(7, 2);
  await answer(rig, idle);
  t.equal(await again.settled, 'ack');
});

tap.test('one run at a time for a company', async (t) => {
  t.test('a second message is acked at once, and the run looks once more', async (t) => {
    const rig = startRig(t);
    const first = rig.queue.deliver(7);
    const look = await rig.runner.look();
    const second = rig.queue.deliver(7);
    t.equal(await second.settled, 'ack');
    t.same(rig.runner.looked, [7], 'nobody else looks');
    look.answer(idle(7));
    await answer(rig, idle);
    t.equal(await first.settled, 'ack');
    t.same(rig.runner.looked, [7, 7]);
    t.equal(rig.counts.joined, 1);
  });

  t.test('whoever asks before a look begins is seen by that look', async (t) => {
    const rig = startRig(t);
    const first = rig.queue.deliver(7);
    const look = await rig.runner.look();
    await rig.queue.deliver(7).settled;
    look.answer(ended(7));
    await answer(rig, idle);
    t.equal(await first.settled, 'ack');
    t.same(rig.runner.looked, [7, 7]);
  });

  t.test('a company that is unknown is looked at once more too', async (t) => {
    const rig = startRig(t);
    const first = rig.queue.deliver(7);
    const look = await rig.runner.look();
    await rig.queue.deliver(7).settled;
    look.answer(idle(7, true));
    await answer(rig, idle);
    t.equal(await first.settled, 'ack');
    t.equal(rig.counts.unknownCompany, 0);
  });

  t.test('where the run ends in a failure, its own message comes again', async (t) => {
    const rig = startRig(t);
    const first = rig.queue.deliver(7);
    const look = await rig.runner.look();
    await rig.queue.deliver(7).settled;
    look.fail(new EventLogUnavailable('away'));
    t.equal(await first.settled, 'nak 1000');
    const third = rig.queue.deliver(7);
    await answer(rig, idle);
    t.equal(await third.settled, 'ack', 'and the company can be run again');
  });
});

tap.test('a queue that is away is tried again after growing delays', async (t) => {
  const rig = startRig(t);
  const waited: number[] = [];
  for (let i = 0; i < 7; i++) {
    rig.queue.fail();
    waited.push(await rig.sleep.pass());
  }
  t.same(waited, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  t.equal(rig.counts.queueLost, 7);
  const delivery = rig.queue.deliver(7);
  await answer(rig, idle);
  t.equal(await delivery.settled, 'ack', 'the process is still there');
  rig.queue.fail(new Error('something else'));
  t.equal(await rig.sleep.pass(), 500, 'a delivery makes the delays short again');
});

tap.test('a queue that answered for a while without any delivery is tried again soon', async (t) => {
  const rig = startRig(t);
  for (const [silentMs, delay] of [
    [0, 500],
    [0, 1_000],
    [14_999, 2_000],
    [15_000, 500],
    [0, 1_000],
  ] as const) {
    await rig.time.tick(silentMs);
    rig.queue.fail();
    t.equal(await rig.sleep.pass(), delay);
    await settle();
  }
  const message = 'the queue cannot be read';
  t.match(rig.log.of('error'), exactly([{ message }, { message }]), 'the failure after it is reported anew');
});

tap.test('a run outlives the queue', async (t) => {
  const rig = startRig(t);
  const delivery = rig.queue.deliver(7);
  const look = await rig.runner.look();
  rig.queue.fail();
  await rig.sleep.pass();
  look.answer(idle(7));
  t.equal(await delivery.settled, 'ack');
});

tap.test('stopped while it runs', async (t) => {
  t.test('the import ends, the company is left to others at once', async (t) => {
    const rig = startRig(t);
    const delivery = rig.queue.deliver(7);
    const look = await rig.runner.look();
    const stopped = rig.stop();
    await settle();
    t.same(delivery.calls, []);
    look.answer(ended(7));
    await stopped;
    t.same(delivery.calls, ['nak 0']);
    t.same(rig.runner.looked, [7], 'no further import is begun');
    t.equal(rig.counts.imports.done, 1);
  });

  t.test('what was done is acked', async (t) => {
    const rig = startRig(t);
    const delivery = rig.queue.deliver(7);
    const look = await rig.runner.look();
    const stopped = rig.stop();
    look.answer(idle(7));
    await stopped;
    t.same(delivery.calls, ['ack']);
  });

  t.test('an import that takes too long is abandoned, unsettled', async (t) => {
    const rig = startRig(t);
    const delivery = rig.queue.deliver(7);
    await rig.runner.look();
    const stopped = rig.stop();
    t.equal(await rig.sleep.pass(), 20_000);
    await stopped;
    t.same(delivery.calls, []);
    t.match(rig.log.of('warn'), exactly([{ details: { companies: 1 } }]));
  });

  t.test('a run that ends with its process is no error', async (t) => {
    const rig = startRig(t);
    const delivery = rig.queue.deliver(7);
    const look = await rig.runner.look();
    const stopped = rig.stop();
    look.fail(new Error('its thread was ended'));
    await stopped;
    t.same([delivery.calls, rig.log.of('error')], [['nak 0'], []]);
  });

  t.test('at rest it ends at once', async (t) => {
    const rig = startRig(t);
    await settle();
    await rig.stop();
    t.same(rig.runner.looked, []);
    t.same(rig.log.lines, []);
  });
});
