import type { EventLog } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './event-log.suite.js';
import { catchUp, collect, newEvent, newEvents, placeOf, put } from './event-log.support.js';

/** A prefix, and another that begins with it: where it ends, the other goes on as a name could. */
const NEIGHBOURS: readonly (readonly [string, string])[] = [
  ['', 'stage-'],
  ['red', 'red2'],
  ['', 'data-'],
  ['t-', 't-survey-'],
];

/** Installations with prefixes of their own in one place see nothing of each other. */
export function installationTests(t: Test, fresh: OpenFresh): void {
  for (const [one, other] of NEIGHBOURS) {
    t.test(`the prefix '${one}' beside '${other}'`, async (t) => {
      const { under } = await fresh(t);
      const logs = { ours: await under.open(one), theirs: await under.open(other) };
      await isAlone(t, logs, 2);
      await isAlone(t, { ours: logs.theirs, theirs: logs.ours }, 3);
    });
  }

  t.test('a name of no known family is refused', async (t) => {
    const { log } = await fresh(t);
    for (const name of ['stage-company-1', 'company-', 'company-1x', 'data-survey-1', 'surveyids-1']) {
      await t.rejects(log.append(name, 'no-stream', [newEvent()]), RangeError, name);
      await t.rejects(log.deleteStream(name), RangeError, `${name} may be a neighbour's`);
    }
  });
  t.end();
}

/** What `ours` writes at company `number` is all that it sees of it, and nothing of it is seen by `theirs`. */
async function isAlone(
  t: Test,
  { ours, theirs }: { readonly ours: EventLog; readonly theirs: EventLog },
  number: number,
): Promise<void> {
  const before = await seenBy(theirs);
  const company = `company-${number}`;
  await put(ours, company, 'no-stream', newEvents(2));
  const { position } = await put(ours, 'surveyids', 'no-stream', [newEvent()]);
  t.equal(await ours.lastPosition({ withoutStreams: ['data-'] }), position);
  t.strictSame(await seenBy(theirs), before);
  t.strictSame(await seenBy(ours), {
    events: [`${company}@0`, `${company}@1`, 'surveyids@0'],
    streams: [company, 'surveyids'],
    companies: [company],
    last: position,
  });
  t.strictSame(await collect(theirs.readStream(company)), []);
}

async function seenBy(log: EventLog) {
  const { events } = await catchUp(log, undefined);
  const names = async (begin: string): Promise<string[]> =>
    (await collect(log.listStreams(begin))).map(({ stream }) => stream).sort();
  return {
    events: events.map(placeOf),
    streams: await names(''),
    companies: await names('company-'),
    last: await log.lastPosition({ withoutStreams: ['data-'] }),
  };
}
