import {
  cancelQueuedImport,
  decideStep,
  eventId,
  EventLogUnavailable,
  importLimits,
  LogCorrupt,
  type EventLog,
  type ImportEngineOptions,
  type RunResult,
} from '@rollcall/application';
import t from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { callContext } from './decide-and-append.support.js';
import {
  company,
  dataOf,
  manage,
  names,
  people,
  queue,
  recorded,
  stream,
  type Company,
} from './imports.support.js';

const { lostStarts: mostLostStarts } = importLimits;

const away = ({ log }: Company): EventLog => ({
  ...log,
  async *readStream(name, options) {
    if (name.startsWith('payload')) throw new EventLogUnavailable('away');
    yield* log.readStream(name, options);
  },
});

const typesOf = (on: Company, operationId: string): Promise<string[]> =>
  names(on.log, `operation-${operationId}`);

const countOf = async (on: Company, operationId: string, type: string): Promise<number> =>
  (await typesOf(on, operationId)).filter((each) => each === type).length;

/** Begins the oldest import in a process of its own, which comes as far as to the payload, and no further. */
const begin = (
  { log, engine }: Company,
  change: Partial<ImportEngineOptions> & { readonly processId: string },
): Promise<void> =>
  new Promise((reached) => {
    const hanging: EventLog = {
      ...log,
      async *readStream(name, options) {
        if (name.startsWith('payload')) await new Promise(() => reached());
        yield* log.readStream(name, options);
      },
    };
    void engine({ log: hanging, every: () => () => undefined, ...change }).runOldest(7, { alone: true });
  });

/** Processes that end while they run the import, one after the other. */
async function lose(on: Company, processes: number, name = 'lost'): Promise<void> {
  for (let n = 0; n < processes; n++) await begin(on, { processId: `${name}-${n}` });
}

const next = (on: Company, processId = 'next'): Promise<RunResult> =>
  on.engine({ processId }).runOldest(7, { alone: true });

t.test('an import that has ended its process ten times is given up, and the company goes on', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const other = await queue(on.engine(), 'employees', people(2));
  await lose(on, mostLostStarts);
  t.same(await typesOf(on, operationId), Array(10).fill('ImportStarted'), 'counted before the work');
  t.match(await next(on), { kind: 'ended', operationId, outcome: 'failed' });
  t.match(dataOf((await recorded(on.log, stream)).at(-1)), {
    operationId,
    status: 500,
    reason: /^gave up after 10 starts: each time .* ended before .* Give the worker more memory/,
    validationErrors: { length: 0 },
  });
  t.equal((await typesOf(on, operationId)).length, 10, 'it was not begun once more');
  t.match(await next(on), { operationId: other, outcome: 'done' });
});

t.test('nine times are not enough', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  await lose(on, mostLostStarts - 1);
  t.match(await next(on), { operationId, outcome: 'done' });
});

t.test('starts that an outage ended do not count', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  for (let n = 0; n < 2 * mostLostStarts; n++)
    await t.rejects(
      on.engine({ log: away(on), processId: `process-${n}` }).runOldest(7, { alone: true }),
      EventLogUnavailable,
    );
  t.match(dataOf((await recorded(on.log, `operation-${operationId}`))[1]), { cause: 'outage', attempt: 1 });
  t.match(await on.engine({ processId: 'next' }).runOldest(7), { outcome: 'done' });
});

t.test('an outage that leaves no trace: the same process has not started twice', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  await lose(on, mostLostStarts - 1);
  const log = away(on);
  const mute: EventLog = {
    ...log,
    append: (name, expected, events) =>
      events[0]?.type === 'ImportInterrupted'
        ? Promise.reject(new EventLogUnavailable('away'))
        : log.append(name, expected, events),
  };
  for (let n = 0; n < 2 * mostLostStarts; n++)
    await t.rejects(
      on.engine({ log: mute, processId: 'one' }).runOldest(7, { alone: true }),
      EventLogUnavailable,
    );
  t.same(await typesOf(on, operationId), Array(mostLostStarts).fill('ImportStarted'));
  t.match(await next(on, 'one'), { operationId, outcome: 'done' }, 'nor has it ended');
});

t.test('a process that is told to end says so of the import that it runs', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  for (let n = 0; n < 2 * mostLostStarts; n++) {
    const time = new ManualTime();
    let told = false;
    await begin(on, { processId: `process-${n}`, every: time.every, stopping: () => told });
    await time.tick(2_000);
    t.equal(await countOf(on, operationId, 'ImportInterrupted'), n, 'not before it is told');
    told = true;
    await time.tick(2_000);
  }
  t.equal((await typesOf(on, operationId)).length, 4 * mostLostStarts, 'each says it once');
  t.match(await on.engine({ processId: 'next' }).runOldest(7), { outcome: 'done' });
});

t.test('processes that run an import at the same time, and live, do not count', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const times: ManualTime[] = [];
  for (let n = 0; n < 2 * mostLostStarts; n++) {
    const time = new ManualTime();
    await begin(on, { processId: `process-${n}`, every: time.every });
    for (const each of [...times, time]) await each.tick(10_000);
    times.push(time);
  }
  const told = (await recorded(on.log, `operation-${operationId}`)).map(dataOf);
  const causes = told.flatMap(({ cause }) => cause ?? []);
  t.same(causes, Array(2 * mostLostStarts - 1).fill('overtaken'), 'each but the last one, once');
  t.match(await on.engine({ processId: 'next' }).runOldest(7), { outcome: 'done' });
});

t.test('a failed attempt is counted as such, and its start no more', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const without: EventLog = {
    ...on.log,
    readStream: (name, options) =>
      on.log.readStream(name.startsWith('payload') ? 'payload-none' : name, options),
  };
  await lose(on, mostLostStarts - 2);
  for (const attempt of [1, 2])
    t.match(
      await on.engine({ log: without, processId: `failing-${attempt}` }).runOldest(7, { alone: true }),
      {
        kind: 'attempt-failed',
        attempt,
      },
    );
  await lose(on, 1, 'again');
  t.match(await next(on), { operationId, outcome: 'done' });
});

t.test('an import that has ended two processes runs with nothing beside it', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const beside = (): Promise<RunResult> => on.engine({ log: away(on), processId: 'beside' }).runOldest(7);
  await lose(on, 1);
  await t.rejects(beside(), EventLogUnavailable, 'one may have had another reason');
  await lose(on, 1, 'again');
  const before = await typesOf(on, operationId);
  t.match(await beside(), { kind: 'must-run-alone', companyId: 7, operationId, starts: 2 });
  t.same(await typesOf(on, operationId), before, 'that is no start');
  t.match(await next(on), { operationId, outcome: 'done' });
});

t.test('however often it is interrupted, its stream stays short', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  for (let n = 0; n < 70; n++)
    await t.rejects(on.engine({ log: away(on) }).runOldest(7, { alone: true }), EventLogUnavailable);
  t.equal(await countOf(on, operationId, 'ImportStarted'), 50);
  t.equal(await countOf(on, operationId, 'ImportInterrupted'), 50);
  t.match(await on.engine().runOldest(7, { alone: true }), { operationId, outcome: 'done' });
});

t.test('the start that an earlier version wrote for all processes counts once', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const name = `operation-${operationId}`;
  await decideStep(
    { log: on.log, clock: on.clock },
    {
      stream: name,
      context: callContext({ operationId }),
      idOf: () => eventId(operationId, name, '10'),
      fold: { initial: () => null, evolve: () => null },
      decide: () => ({
        kind: 'events',
        events: [{ name: 'ImportStarted', data: { operationId, attempt: 1 } }],
      }),
    },
  );
  await lose(on, mostLostStarts - 1);
  t.match(await next(on), { operationId, outcome: 'failed', reason: /^gave up after 10 starts/ });
});

t.test('an import runs although its operation cannot be read, and the company goes on', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const other = await queue(on.engine(), 'employees', people(2));
  await lose(on, 1);
  const damaged: EventLog = {
    ...on.log,
    readStream: (name, options) => {
      if (name === `operation-${operationId}`) throw new LogCorrupt('a chain value is wrong');
      return on.log.readStream(name, options);
    },
  };
  for (const operation of [operationId, other])
    t.match(await on.engine({ log: damaged }).runOldest(7), { operationId: operation, outcome: 'done' });
});

t.test('one that fails, and whose attempts cannot be counted, ends at once', async (t) => {
  const on = await company(t);
  const operationId = await queue(on.engine(), 'employees', people(1));
  const damaged: EventLog = {
    ...on.log,
    readStream: (name, options) => {
      if (name.startsWith('operation-')) throw new LogCorrupt('a chain value is wrong');
      return on.log.readStream(name, options);
    },
  };
  t.match(await on.engine({ log: damaged }).attemptFailed(7, 'no memory'), {
    outcome: 'failed',
    operationId,
    reason: /^gave up after an attempt, since attempts cannot be counted .*: no memory$/,
  });
});

t.test(
  'an attempt that ended with its thread counts for the import that was started, and no other',
  async (t) => {
    const on = await company(t);
    const operationId = await queue(on.engine(), 'employees', people(1));
    const other = await queue(on.engine(), 'employees', people(2));
    const lost = async (): Promise<RunResult> => {
      await begin(on, { processId: 'one' });
      return on.engine({ processId: 'one' }).attemptFailed(7, 'no memory');
    };
    t.match(await lost(), { kind: 'attempt-failed', operationId, attempt: 1 });
    t.match(await lost(), { kind: 'attempt-failed', operationId, attempt: 2 });
    await begin(on, { processId: 'one' });
    await cancelQueuedImport(manage(on), callContext(), { companyId: 7, operationId });
    await on.engine({ processId: 'one' }).attemptFailed(7, 'no memory');
    t.same(await typesOf(on, other), [], 'it never ran');
    t.match(await lost(), { operationId: other, attempt: 1 });
  },
);
