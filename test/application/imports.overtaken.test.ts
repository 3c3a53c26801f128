import { ImportsBusy, type EventLog, type ImportEngine, type ImportOutcome } from '@rollcall/application';
import t from 'tap';
import {
  company,
  done,
  names,
  payloads,
  people,
  request,
  runAll,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { streams } from './staging.support.js';

/** More than 512 KiB of body and of event: it is staged. */
const longList = people(...Array.from({ length: 5_000 }, (_, index) => 1_000 + index));

interface Overtaken {
  readonly engine: ImportEngine;
  /** What became of the short lists that came first. */
  readonly others: ImportOutcome[];
}

/** An engine beside another process, which carries a short list out before each append that `overtakes` says, so often. */
function overtaken(place: Company, times: number, overtakes: (name: string) => boolean): Overtaken {
  const other = place.engine();
  const others: ImportOutcome[] = [];
  const log: EventLog = {
    ...place.log,
    append: async (name, expected, events) => {
      if (overtakes(name) && others.length < times)
        others.push(await other.accept(request('employees', people(others.length))));
      return place.log.append(name, expected, events);
    },
  };
  return { engine: place.engine({ log }), others };
}

/** Those that come behind what was staged: while it is written there is time for others. */
function afterStaging(): (name: string) => boolean {
  let hasStaged = false;
  return (name) => {
    const overtakes = hasStaged && name === stream;
    hasStaged = name.startsWith('data-') || (hasStaged && name !== stream);
    return overtakes;
  };
}

t.test('a long list that others overtake twice is queued, and leaves nothing of its tries', async (t) => {
  const place = await company(t, { queueThreshold: null });
  const { engine, others } = overtaken(place, 1_000, afterStaging());
  t.equal((await engine.accept(request('employees', longList))).kind, 'queued');
  t.equal(others.length, 2);
  t.same(await streams(place.log), [], 'what was staged for its tries is gone');
  t.equal((await payloads(place.log)).length, 2, 'its body and the proof that it is valid');
  await runAll(place.engine());
  t.equal((await stateOf(place)).employees.count, longList.length);
  t.equal((await streams(place.log)).length, 1, 'what its event refers to');
});

t.test('overtaken once it is decided again, and keeps only what its event refers to', async (t) => {
  const place = await company(t, { queueThreshold: null });
  const { engine, others } = overtaken(place, 1, afterStaging());
  t.same(done(await engine.accept(request('employees', longList))), [longList.length, 0, 1]);
  t.equal(others.length, 1);
  t.equal((await streams(place.log)).length, 1);
  t.same((await names(place.log)).slice(-2), ['EmployeeSetReplaced', 'EmployeeSetReplaced']);
});

t.test('overtaken and then turned away it leaves nothing', async (t) => {
  const place = await company(t, { queueThreshold: null });
  await place.engine().accept(request('employees', people(1)));
  const { employees } = (await stateOf(place)).revisions;
  const { engine } = overtaken(place, 1, afterStaging());
  const outcome = await engine.accept(request('employees', longList, { ifMatch: [employees ?? 0] }));
  t.equal(outcome.kind, 'precondition-failed');
  t.same(await streams(place.log), []);
});

t.test('a call whose time is over before its append is given up, and leaves nothing', async (t) => {
  const place = await company(t, { queueThreshold: null });
  const before = await names(place.log);
  for (const prefersAsync of [false, true]) {
    let now = 0;
    const log: EventLog = {
      ...place.log,
      append: (...given) => {
        now += 10_000;
        return place.log.append(...given);
      },
    };
    const engine = place.engine({ log, timer: () => now });
    const call = (answerBy: number) => request('employees', longList, { prefersAsync, answerBy });
    await t.rejects(engine.accept(call(15_000)), ImportsBusy);
    t.same([await names(place.log), await streams(place.log)], [before, []]);
    t.same(await payloads(place.log), []);
  }
});

t.test('a short list is decided again as often as it takes', async (t) => {
  const place = await company(t);
  const { engine, others } = overtaken(place, 10, (name) => name === stream);
  t.equal((await engine.accept(request('employees', people(500, 501)))).kind, 'done');
  t.equal(others.length, 10);
});
