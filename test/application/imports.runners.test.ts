import {
  decideStep,
  eventId,
  EventLogUnavailable,
  LogCorrupt,
  type EventLog,
  type ImportEngine,
} from '@rollcall/application';
import { hasSoundDigest } from '@rollcall/employee-lists/set';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import {
  append,
  appendUnknown,
  company,
  configure,
  dataOf,
  done,
  names,
  people,
  queue,
  recorded,
  request,
  runAll,
  stateOf,
  stream,
} from './imports.support.js';

t.test('an outage is no attempt', async (t) => {
  const { engine, log, readModels } = await company(t);
  const operationId = await queue(engine(), 'employees', people(1));
  const away = () => Promise.reject(new EventLogUnavailable('away'));
  const isOwn = (name: string): boolean => name === stream;
  const outages: Record<string, ImportEngine> = {
    'no append': engine({
      log: { ...log, append: (name, ...rest) => (isOwn(name) ? away() : log.append(name, ...rest)) },
    }),
    'no append at all': engine({ log: { ...log, append: away } }),
    'no reading': engine({
      log: { ...log, readStream: (name) => (isOwn(name) ? raising() : log.readStream(name)) },
    }),
    'no payload': engine({
      log: {
        ...log,
        readStream: (name, options) =>
          name.startsWith('payload') ? raising() : log.readStream(name, options),
      },
    }),
    'no operation': engine({
      log: {
        ...log,
        readStream: (name, options) =>
          name.startsWith('operation') ? raising() : log.readStream(name, options),
      },
    }),
  };
  async function* raising(): AsyncGenerator<never> {
    throw new EventLogUnavailable('away');
    yield undefined as never;
  }
  for (const [what, broken] of Object.entries(outages))
    for (let i = 0; i < 4; i++) await t.rejects(broken.runOldest(7), EventLogUnavailable, what);
  t.ok(readModels);
  t.notOk((await names(log, `operation-${operationId}`)).includes('ImportAttemptFailed'));
  t.match(await engine().runOldest(7), { operationId, outcome: 'done' });
});

t.test('an outage while an attempt is counted: it was none', async (t) => {
  const { engine, log } = await company(t);
  const operationId = await queue(engine(), 'employees', people(1));
  const half: EventLog = {
    ...log,
    readStream: (name, options) =>
      log.readStream(name.startsWith('payload') ? 'payload-none' : name, options),
    append: (name, ...rest) =>
      name.startsWith('operation')
        ? Promise.reject(new EventLogUnavailable('away'))
        : log.append(name, ...rest),
  };
  await t.rejects(engine({ log: half }).runOldest(7), EventLogUnavailable);
  t.match(await engine().runOldest(7), { operationId, outcome: 'done' });
});

t.test("an event of an unknown type on the company's stream: nothing is written", async (t) => {
  const { engine, log } = await company(t);
  await queue(engine(), 'employees', people(1));
  await appendUnknown(log);
  const before = await log.lastPosition();
  const message = /revision 2 of company-7 has the unknown type EmployeesMerged/;
  for (let i = 0; i < 4; i++) {
    const run = engine().runOldest(7);
    await t.rejects(run, LogCorrupt);
    await t.rejects(run, { message });
  }
  await t.rejects(engine().accept(request('employees', [])), { message });
  t.equal(await log.lastPosition(), before);
});

t.test('an unknown event that comes while an import runs stops the company as well', async (t) => {
  const { engine, log } = await company(t);
  const operationId = await queue(engine(), 'employees', people(1));
  log.script = ['through', () => appendUnknown(log)];
  await t.rejects(engine().runOldest(7), { message: /revision 2 of company-7 has the unknown type/ });
  t.notOk((await names(log, `operation-${operationId}`)).includes('ImportAttemptFailed'));
});

t.test('two runners at once for one company: one terminal event', async (t) => {
  const place = await company(t);
  const { engine, log } = place;
  const operations = new Set<string>();
  for (let i = 0; i < 5; i++) operations.add(await queue(engine(), 'employees', people(i, i + 1)));
  const results = (await Promise.all([1, 2, 3].map(() => runAll(engine())))).flat();
  t.equal(results.filter((each) => each.kind === 'ended' && each.outcome === 'done').length, 5);
  t.same(
    results.filter((each) => each.kind === 'attempt-failed'),
    [],
  );
  const ends = (await recorded(log, stream)).filter(({ type }) => type === 'EmployeeSetReplaced');
  t.same(
    ends.map((event) => dataOf(event)['operationId']),
    [...operations],
    'in order, each once',
  );
  const { employees, pending } = await stateOf(place);
  t.ok(hasSoundDigest(employees, place.digester));
  t.equal(employees.count, 2);
  t.same(pending, []);
});

t.test('runners who decide differently: what stands in the log is the state of both', async (t) => {
  const place = await company(t);
  const { engine, log } = place;
  const operationId = await queue(engine(), 'employees', people(1, 2));
  const kind = 'employees' as const;
  const failing = { operationId, kind, status: 500, reason: 'x', validationErrors: [] };
  const other = async () => {
    await decideStep(
      { log, clock: place.clock },
      {
        stream,
        context: callContext({ operationId }),
        idOf: () => eventId(operationId, stream, 1),
        fold: { initial: () => null, evolve: () => null },
        decide: () => ({ kind: 'events', events: [{ name: 'ImportFailed', data: failing }] }),
      },
    );
  };
  const runner = engine();
  log.script = ['through', other];
  t.match(await runner.runOldest(7), { kind: 'ended', operationId, outcome: 'elsewhere' });
  t.same((await names(log)).slice(2), ['ImportFailed']);
  t.same(
    done(await runner.accept(request('employees', people(1)))),
    [1, 0, 0],
    'the list was not taken for applied',
  );
});

t.test('cancelled while it runs: it changes nothing', async (t) => {
  const place = await company(t);
  const { engine, log } = place;
  const operationId = await queue(engine(), 'employees', people(1));
  log.script = [
    'through',
    () => append(place, { name: 'ImportCancelled', data: { operationId, kind: 'employees' } }),
  ];
  t.match(await engine().runOldest(7), { kind: 'ended', operationId, outcome: 'elsewhere' });
  t.same((await names(log)).slice(1), ['ImportQueued', 'ImportCancelled']);
  t.match(await engine().runOldest(7), { kind: 'idle' });
});

t.test('a crash while it runs: run again, and what was told of the attempt stands once', async (t) => {
  const { engine, log } = await company(t);
  const operationId = await queue(
    engine(),
    'employees',
    `${' '.repeat(5_000_000)}${JSON.stringify(people(1))}`,
  );
  const dead: EventLog = {
    ...log,
    append: (name, ...rest) => (name === stream ? new Promise(() => undefined) : log.append(name, ...rest)),
  };
  void engine({ log: dead }).runOldest(7);
  const operation = `operation-${operationId}`;
  while ((await names(log, operation)).length < 5) await new Promise((resolve) => setImmediate(resolve));
  const told = await names(log, operation);
  t.same(told, ['ImportStarted', ...Array.from({ length: 4 }, () => 'ImportProgressed')]);
  t.match(await engine().runOldest(7), { operationId, outcome: 'done' });
  t.same(await names(log, operation), told);
  const percents = (await recorded(log, operation))
    .slice(1)
    .map((event) => dataOf(event)['percent'] as number);
  t.same(
    percents,
    [...percents].sort((a, b) => a - b),
    'it never goes back',
  );
});

t.test('diagnostics that cannot be written do not hinder the import', async (t) => {
  const { engine, log } = await company(t);
  await queue(engine(), 'employees', people(1));
  const quiet: EventLog = {
    ...log,
    append: (name, ...rest) =>
      name.startsWith('operation')
        ? Promise.reject(new EventLogUnavailable('away'))
        : log.append(name, ...rest),
  };
  t.match(await engine({ log: quiet }).runOldest(7), { outcome: 'done' });
});

t.test('an import that is queued meanwhile is no reason to decide again', async (t) => {
  const place = await company(t);
  const { engine, log, digester } = place;
  await engine().accept(request('employees', people(1, 2, 3)));
  await queue(engine(), 'employees', people(4, 5));
  const runner = engine();
  digester.shares = 0;
  log.script = ['through', () => queue(engine(), 'employees', people(6))];
  t.match(await runner.runOldest(7), { outcome: 'done' });
  const once = digester.shares;
  t.equal(once, 3 + 3 + 3 + 2, 'the fold of the first list by two engines, and one change of five');
  log.script = ['through', () => configure(place, { batchLimit: 0 })];
  digester.shares = 0;
  t.match(await runner.runOldest(7), { outcome: 'done' });
  t.equal(digester.shares, 2 * (2 + 1), 'other settings are: decided twice');
  t.same((await names(log)).slice(1), [
    'EmployeeSetReplaced',
    'ImportQueued',
    'ImportQueued',
    'EmployeeSetReplaced',
    'CompanyConfigured',
    'EmployeeSetReplaced',
  ]);
});
