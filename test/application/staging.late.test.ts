import {
  CHUNK_BYTES,
  decideAndAppend,
  EventLogUnavailable,
  LATE_MS,
  type EventLog,
} from '@rollcall/application';
import t from 'tap';
import { callContext, scriptedLog, type ScriptedLog } from './decide-and-append.support.js';
import { company, names, people, request, stream as companyStream } from './imports.support.js';
import {
  large,
  last,
  nameOf,
  recordedOf,
  sourceOf,
  STREAM,
  streams,
  textOf,
  verifyPieces,
} from './staging.support.js';

const HOUR = 60 * 60_000;
const PIECES = Math.ceil(large.length / CHUNK_BYTES);

/** A machine that can be suspended: what its clocks say afterwards is up to the test. */
function machine() {
  const time = { wall: Date.parse('2026-11-21T09:00:00Z'), monotonic: 1_000 };
  return {
    clock: { now: () => time.wall },
    timer: () => time.monotonic,
    pass: (wall: number, monotonic: number) => {
      time.wall += wall;
      time.monotonic += monotonic;
    },
  };
}

/** The log, with something that happens once, right behind the last chunk of the event. */
function behindStaging(log: ScriptedLog, happens: () => Promise<unknown>): EventLog {
  let left = PIECES;
  return {
    ...log,
    append: async (stream, expected, events) => {
      const result = await log.append(stream, expected, events);
      if (stream.startsWith('data-') && --left === 0) await happens();
      return result;
    },
  };
}

async function sweep(log: EventLog): Promise<void> {
  for (const stream of await streams(log)) await log.deleteStream(stream);
}

const replacing = (context = callContext()) => ({
  stream: STREAM,
  context,
  fold: last,
  decide: () => ({
    kind: 'events' as const,
    events: [{ name: 'EmployeeSetReplaced' as const, source: sourceOf(large, 100_000) }],
  }),
});

t.test('pieces that were swept before a late append are written anew, by either clock', async (t) => {
  const pauses = {
    'both clocks go on': [25 * HOUR, 25 * HOUR],
    'the monotonic clock stands still while the machine is suspended': [25 * HOUR, 0],
    'the wall clock was set back': [-2 * HOUR, 25 * HOUR],
  } as const;
  for (const [what, pause] of Object.entries(pauses)) {
    const { clock, timer, pass } = machine();
    const log = await scriptedLog(t);
    const suspended = behindStaging(log, async () => {
      pass(pause[0], pause[1]);
      await sweep(log);
    });
    const outcome = await decideAndAppend({ log: suspended, clock, timer }, replacing());
    if (outcome.kind !== 'appended' || outcome.events[0] === undefined) throw new Error(outcome.kind);
    t.ok((await textOf(outcome.events[0])).equals(large), what);
    const [own, ...more] = await recordedOf(log, STREAM);
    t.equal(more.length, 0);
    const [stream] = await streams(log);
    t.match(JSON.parse(Buffer.from(own?.data ?? []).toString()), { staged: { stream, count: PIECES } });
    await verifyPieces(log);
  }
});

t.test(
  'pieces that are there after a pause are met again, unless the sweeper may take them soon',
  async (t) => {
    for (const [pause, found] of [
      [LATE_MS + 1, 1],
      [13 * HOUR, 2],
    ] as const) {
      const { clock, timer, pass } = machine();
      const log = await scriptedLog(t);
      const suspended = behindStaging(log, () => Promise.resolve(pass(pause, 0)));
      const context = callContext();
      t.equal((await decideAndAppend({ log: suspended, clock, timer }, replacing(context))).kind, 'appended');
      t.equal((await streams(log)).length, found);
      const [own] = await recordedOf(log, STREAM);
      t.match(JSON.parse(Buffer.from(own?.data ?? []).toString()), {
        staged: { stream: nameOf(context, found) },
      });
    }
  },
);

t.test('an append that is repeated after a pause is an outage, and refers to nothing', async (t) => {
  const { clock, timer, pass } = machine();
  const log = await scriptedLog(t);
  log.script = Array.from({ length: PIECES }, () => 'through' as const);
  log.script.push('lost before');
  const sleep = async () => {
    pass(25 * HOUR, 0);
    await sweep(log);
  };
  const context = callContext();
  await t.rejects(decideAndAppend({ log, clock, timer, sleep }, replacing(context)), EventLogUnavailable);
  t.strictSame(await recordedOf(log, STREAM), []);
  const again = await decideAndAppend({ log, clock, timer }, replacing(context));
  t.equal(again.kind, 'appended', 'and can be done again');
  await verifyPieces(log);
});

t.test('a body that was swept before its import is queued is an outage', async (t) => {
  for (const [hours, isSwept] of [
    [25, true],
    [13, false],
  ] as const) {
    const { engine, log, clock } = await company(t);
    const call = request('employees', people(1), { prefersAsync: true });
    const payload = `payload-${call.context.operationId}`;
    const suspended: EventLog = {
      ...log,
      append: async (stream, expected, events) => {
        const result = await log.append(stream, expected, events);
        clock.at += hours * HOUR;
        if (isSwept) await log.deleteStream(payload);
        return result;
      },
    };
    await t.rejects(engine({ log: suspended }).accept(call), EventLogUnavailable);
    t.strictSame(await names(log, companyStream), ['CompanyConfigured']);
    clock.at += 1;
    const next = request('employees', people(1), { prefersAsync: true });
    t.match(await engine().accept(next), { kind: 'queued' });
  }
});
