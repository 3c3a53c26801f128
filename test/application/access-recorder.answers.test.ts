import { EventLogUnavailable, verifyLog, type EventLog } from '@rollcall/application';
import tap from 'tap';
import { openRig } from '../projector/projector.support.js';
import { exactly } from '../support/exactly.js';
import { dataIn, read, reads, recorderOn } from './access-recorder.support.js';

tap.test(
  'an append of which only the answer is lost is recorded once, in the stream of its day',
  async (t) => {
    const rig = await openRig(t);
    let isLost = true;
    const append: EventLog['append'] = async (...given) => {
      const appended = await rig.log.append(...given);
      if (isLost) throw new EventLogUnavailable('no answer');
      return appended;
    };
    const { recorder } = recorderOn(rig, { ...rig.log, append });
    rig.clock.at = Date.parse('2026-11-21T23:59:59Z');
    recorder.read(read());
    await recorder.flush();
    recorder.read(read({ rows: 1 }));
    isLost = false;
    rig.clock.at += 60_000;
    await recorder.flush();
    t.match(await dataIn(rig, reads), exactly([{ reads: exactly([{ calls: 1, rows: 10 }]) }]));
    t.match(await dataIn(rig, 'reads-7-20261122'), exactly([{ reads: exactly([{ calls: 1, rows: 1 }]) }]));
  },
);

tap.test('an append that lands late, right before its repeat, breaks no chain', async (t) => {
  const rig = await openRig(t);
  let late: Parameters<EventLog['append']> | undefined;
  let isAway = true;
  const append: EventLog['append'] = async (...given) => {
    late ??= given;
    if (isAway) throw new EventLogUnavailable('no answer');
    await rig.log.append(...late);
    return rig.log.append(...given);
  };
  const { recorder } = recorderOn(rig, { ...rig.log, append });
  recorder.read(read());
  await recorder.flush();
  isAway = false;
  for (const rows of [1, 2]) {
    rig.clock.at += 60_000;
    await recorder.flush();
    recorder.read(read({ rows }));
  }
  rig.clock.at += 60_000;
  await recorder.flush();
  const each = [10, 1, 2].map((rows) => ({ reads: exactly([{ rows }]) }));
  t.match(await dataIn(rig, reads), exactly(each));
  t.match(await verifyLog(rig.log), { kind: 'whole' });
});
