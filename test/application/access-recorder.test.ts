import { EventLogUnavailable, LogCorrupt, type AccessRecorder, type EventLog } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { openRig } from '../projector/projector.support.js';
import { exactly } from '../support/exactly.js';
import { dataIn, read, reads, recorderOn, refusals } from './access-recorder.support.js';

tap.test('reads of a user are one event a minute, with calls, rows and the last request', async (t) => {
  const rig = await openRig(t);
  const { recorder, problems } = recorderOn(rig, rig.log);
  recorder.read(read());
  rig.clock.at += 1_000;
  recorder.read(read({ requestId: 'r2', rows: 5 }));
  recorder.read(read({ what: 'managers', rows: 2 }));
  recorder.read(read({ userId: 4 }));
  recorder.read(read({ companyId: 8 }));
  t.equal(await rig.log.lastPosition(), undefined, 'nothing is written at once');
  await recorder.flush();
  const first = {
    ...{ from: '2026-11-21T09:00:00.000Z', until: '2026-11-21T09:00:01.000Z' },
    reads: [
      { what: 'employees', calls: 2, rows: 15, requestId: 'r2' },
      { what: 'managers', calls: 1, rows: 2, requestId: 'r1' },
    ],
  };
  t.match(await dataIn(rig, reads), exactly([first, { reads: [{ calls: 1 }] }]));
  t.match(await dataIn(rig, 'reads-8-20261121'), exactly([{ reads: [{ rows: 10 }] }]));
  const event = await rig.log.readLast('reads-8-20261121');
  t.match(JSON.parse(Buffer.from(event?.metadata ?? []).toString()), {
    ...{ companyId: 8, userId: 3, username: 'HR', receivedAt: '2026-11-21T09:00:01.000Z' },
  });
  await recorder.flush();
  t.equal((await dataIn(rig, reads)).length, 2, 'nothing twice');
  t.strictSame(problems, []);
});

tap.test(
  'two processes: one event for a user and minute; the rest is kept, and written at the end',
  async (t) => {
    const rig = await openRig(t);
    const [one, other] = [recorderOn(rig, rig.log).recorder, recorderOn(rig, rig.log).recorder];
    one.read(read());
    other.read(read({ rows: 1 }));
    await one.flush();
    await other.flush();
    t.equal((await dataIn(rig, reads)).length, 1);
    other.read(read({ rows: 2 }));
    rig.clock.at += 60_000;
    await other.flush();
    t.match((await dataIn(rig, reads))[1], { reads: exactly([{ calls: 2, rows: 3 }]) }, 'in the next minute');
    other.read(read({ rows: 4 }));
    await other.close();
    t.match(
      (await dataIn(rig, reads))[2],
      { reads: exactly([{ rows: 4 }]) },
      'at a shutdown, whatever the minute',
    );
  },
);

tap.test(
  'what one process always comes to first is kept back from the other once, not for ever',
  async (t) => {
    const rig = await openRig(t);
    const [one, other] = [recorderOn(rig, rig.log).recorder, recorderOn(rig, rig.log).recorder];
    const minute = async (): Promise<void> => {
      for (const recorder of [one, other]) {
        recorder.read(read());
        recorder.refused({ kid: 'k', subject: '3' });
        await recorder.flush();
      }
      rig.clock.at += 60_000;
    };
    await minute();
    t.equal((await dataIn(rig, reads)).length, 1);
    await minute();
    t.match((await dataIn(rig, reads))[2], { reads: exactly([{ calls: 2, rows: 20 }]) });
    t.match((await dataIn(rig, refusals))[2], { refused: exactly([{ kid: 'k', subject: '3', count: 2 }]) });
    await minute();
    t.equal((await dataIn(rig, reads)).length, 4, 'one again');
  },
);

tap.test('an outage loses nothing, and no caller sees it', async (t) => {
  const rig = await openRig(t);
  let isAway = true;
  const append: EventLog['append'] = (...given) =>
    isAway ? Promise.reject(new EventLogUnavailable('away')) : rig.log.append(...given);
  const { recorder, problems } = recorderOn(rig, { ...rig.log, append });
  recorder.read(read());
  recorder.refused({ kid: 'k', subject: '3' });
  await recorder.flush();
  t.equal(problems.length, 1);
  recorder.read(read({ rows: 1, requestId: 'later' }));
  recorder.refused({ kid: 'k', subject: '3' });
  isAway = false;
  await recorder.flush();
  rig.clock.at += 60_000;
  await recorder.flush();
  const both = [{ reads: [{ calls: 1, rows: 10 }] }, { reads: [{ calls: 1, rows: 1, requestId: 'later' }] }];
  t.match(await dataIn(rig, reads), exactly(both));
  t.match(
    await dataIn(rig, refusals),
    exactly([{ refused: [{ kid: 'k', subject: '3', count: 2 }], others: 0 }]),
  );
});

tap.test('two operators of a company in a minute are two events', async (t) => {
  const rig = await openRig(t);
  const { recorder } = recorderOn(rig, rig.log);
  const usernames = ['operator:ann', 'operator:bob'];
  for (const username of usernames) recorder.read(read({ userId: null, username }));
  await recorder.flush();
  t.match(await dataIn(rig, reads), exactly([{ reads: [{ calls: 1 }] }, { reads: [{ calls: 1 }] }]));
  const names: unknown[] = [];
  for await (const { metadata } of rig.log.readStream(reads))
    names.push((JSON.parse(Buffer.from(metadata).toString()) as { username: unknown }).username);
  t.strictSame(names, usernames);
});

tap.test('refusals beyond the bound that come during an outage are counted', async (t) => {
  const rig = await openRig(t);
  const refuse = (recorder: AccessRecorder): void => {
    for (let at = 0; at < 150; at++) recorder.refused({ kid: `k${at}`, subject: null });
  };
  let isAway = true;
  let attempts = 0;
  const append: EventLog['append'] = async (...given) => {
    if (!isAway) return rig.log.append(...given);
    if ((attempts += 1) === 1) refuse(recorder);
    throw new EventLogUnavailable('away');
  };
  const { recorder } = recorderOn(rig, { ...rig.log, append });
  refuse(recorder);
  await recorder.flush();
  isAway = false;
  await recorder.flush();
  rig.clock.at += 60_000;
  await recorder.flush();
  const each = { refused: { length: 20 }, others: 130 };
  t.match(await dataIn(rig, refusals), exactly([each, each]));
});

tap.test('a stream that is damaged keeps nothing else from being recorded', async (t) => {
  const rig = await openRig(t);
  const append: EventLog['append'] = (stream, ...given) =>
    stream === reads ? Promise.reject(new LogCorrupt('damaged')) : rig.log.append(stream, ...given);
  const { recorder, problems } = recorderOn(rig, { ...rig.log, append });
  recorder.read(read());
  recorder.read(read({ companyId: 8 }));
  recorder.refused({ kid: 'k', subject: '3' });
  await recorder.flush();
  t.match(problems, exactly([{ message: 'damaged' }]));
  t.match(await dataIn(rig, 'reads-8-20261121'), exactly([{ reads: [{ calls: 1 }] }]));
  t.match(await dataIn(rig, refusals), exactly([{ refused: [{ count: 1 }] }]));
});

async function refusedWith(t: Test, kids: readonly unknown[]): Promise<unknown> {
  const rig = await openRig(t);
  const { recorder } = recorderOn(rig, rig.log);
  for (const kid of kids) recorder.refused({ kid, subject: undefined });
  await recorder.flush();
  return (await dataIn(rig, refusals))[0];
}

tap.test('refused tokens: a bounded number of keys, escaped and cut', async (t) => {
  const many = await refusedWith(
    t,
    Array.from({ length: 150 }, (_, at) => `k${at}`),
  );
  t.match(many, { others: 130, refused: { length: 20 } });
  const foreign = await refusedWith(t, ['\u001b[2J\u00e6', 'x'.repeat(1_000), { a: 1 }, 7]);
  t.match(foreign, {
    refused: exactly([
      { kid: '\\u001b[2J\\u00e6', subject: null, count: 1 },
      { kid: 'x'.repeat(64) },
      { kid: null },
      { kid: '7' },
    ]),
  });
});

tap.test('a day has a stream of its own', async (t) => {
  const rig = await openRig(t);
  const { recorder } = recorderOn(rig, rig.log);
  for (const requestId of ['today', 'tomorrow']) {
    recorder.read(read({ requestId }));
    await recorder.flush();
    rig.clock.at += 24 * 3_600_000;
  }
  t.equal((await dataIn(rig, reads)).length, 1);
  t.equal((await dataIn(rig, 'reads-7-20261122')).length, 1);
});

tap.test('what is read during an append that fails is counted behind what was read before', async (t) => {
  const rig = await openRig(t);
  let isAway = true;
  let attempts = 0;
  const later = (): void => {
    rig.clock.at += 1_000;
    recorder.read(read({ rows: 1, requestId: 'later' }));
    recorder.read(read({ what: 'managers', rows: 2 }));
  };
  const append: EventLog['append'] = async (...given) => {
    if (!isAway) return rig.log.append(...given);
    if ((attempts += 1) === 1) later();
    throw new EventLogUnavailable('away');
  };
  const { recorder } = recorderOn(rig, { ...rig.log, append });
  recorder.read(read());
  await recorder.flush();
  isAway = false;
  await recorder.flush();
  rig.clock.at += 60_000;
  await recorder.flush();
  const at = (moment: string) => ({ from: moment, until: moment });
  t.strictSame(await dataIn(rig, reads), [
    {
      ...at('2026-11-21T09:00:00.000Z'),
      reads: [{ what: 'employees', calls: 1, rows: 10, requestId: 'r1' }],
    },
    {
      ...at('2026-11-21T09:00:01.000Z'),
      reads: [
        { what: 'employees', calls: 1, rows: 1, requestId: 'later' },
        { what: 'managers', calls: 1, rows: 2, requestId: 'r1' },
      ],
    },
  ]);
});
