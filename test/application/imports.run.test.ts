import { decideAndAppend, eventId, importLimits, type EventLog } from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import {
  append,
  company,
  configure,
  dataOf,
  done,
  metadataOf,
  names,
  people,
  queue,
  recorded,
  request,
  roles,
  runAll,
  stateOf,
  stream,
} from './imports.support.js';
import { exactly } from '../support/exactly.js';

t.test('a call at 16:59 whose import runs at 17:01 invites at once, and not tomorrow', async (t) => {
  const { engine, log, clock } = await company(t, { timeZone: 'Europe/Copenhagen' });
  const receivedAt = '2026-11-23T15:59:30.000Z';
  await queue(engine(), 'employees', people(1), { context: { receivedAt } });
  clock.at = Date.parse('2026-11-23T16:01:00Z');
  t.match(await runAll(engine()), exactly([{ outcome: 'done' }]));
  const replaced = (await recorded(log, stream)).at(-1);
  t.equal(metadataOf(replaced)['recordedAt'], '2026-11-23T16:01:00.000Z');
  t.match(dataOf(replaced), { added: exactly([{ invitationDue: '2026-11-23T15:59:30Z' }]) });
});

t.test('queued imports of both kinds run in the order of their acceptance', async (t) => {
  const place = await company(t);
  const { engine, log, clock } = place;
  const receivedAt = '2026-11-20T10:00:00.000Z';
  const first = await queue(engine(), 'employees', people(1, 2), { key: 'k', context: { receivedAt } });
  const second = await queue(engine(), 'managers', roles(1));
  const third = await queue(engine(), 'employees', people(2, 3));
  clock.at += 5000;
  t.match(
    await runAll(engine()),
    exactly([
      { kind: 'ended', companyId: 7, operationId: first, outcome: 'done' },
      { kind: 'ended', companyId: 7, operationId: second, outcome: 'done' },
      { kind: 'ended', companyId: 7, operationId: third, outcome: 'done' },
    ]),
  );
  const events = await recorded(log, stream);
  t.same(
    events
      .slice(4)
      .map(({ type, data }) => [
        type,
        (JSON.parse(Buffer.from(data).toString()) as { operationId: string }).operationId,
      ]),
    [
      ['EmployeeSetReplaced', first],
      ['ManagerRolesImported', second],
      ['EmployeeSetReplaced', third],
    ],
  );
  const { recordedAt, chain, ...context } = metadataOf(events[4]);
  t.match(context, { operationId: first, receivedAt, idempotency: { keyHash: 'k' } }, 'the call, as it was');
  t.equal(recordedAt, '2026-11-21T09:00:05.000Z');
  t.ok(chain);
  t.equal(new Set(events.map(({ id }) => id)).size, events.length);
  t.same(await names(log, `operation-${first}`), ['ImportStarted']);
  t.match(await engine().accept(request('employees', people(1, 2), { key: 'k' })), {
    kind: 'queued',
    operationId: first,
    replayed: true,
  });
  t.match(await engine().runOldest(7), { kind: 'idle', unknown: false });
  t.match(await engine().runOldest(8), { kind: 'idle', companyId: 8, unknown: true });
});

t.test('a large body is not run beside others, and a small one is', async (t) => {
  const { engine, log } = await company(t);
  const operationId = await queue(engine(), 'employees', people(...Array(11_000).keys()));
  t.equal(await engine().runOldestIfSmall(7), 'is-large');
  t.same(await names(log, `operation-${operationId}`), [], 'nothing was begun');
  t.match(await engine().runOldest(7), { kind: 'ended', operationId, outcome: 'done' });
  const next = await queue(engine(), 'employees', people(1));
  t.match(await engine().runOldestIfSmall(7), { operationId: next, outcome: 'done' });
});

t.test('a queued import comes to what the direct call comes to', async (t) => {
  const [one, other] = [await company(t), await company(t)];
  for (const ids of [[1, 2, 3], [2, 3, 4], [2, 3, 4], []]) {
    done(await one.engine().accept(request('employees', people(...ids))));
    await queue(other.engine(), 'employees', people(...ids));
    await runAll(other.engine());
  }
  const content = async (log: EventLog) => {
    const found: unknown[] = [];
    for await (const { type, data } of log.readStream(stream)) {
      const rest = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
      delete rest['operationId'];
      if (type.startsWith('EmployeeSet')) found.push([type, rest]);
    }
    return found;
  };
  t.same(await content(other.log), await content(one.log));
});

t.test('it is decided by the settings of the moment when it runs', async (t) => {
  const place = await company(t);
  const { engine, log } = place;
  await engine().accept(request('employees', people(...Array(100).keys())));
  await queue(engine(), 'employees', people(1));
  await queue(engine(), 'managers', roles(1));
  await queue(engine(), 'managers', roles(2));
  await configure(place, { batchLimit: 10 });
  t.match(await engine().runOldest(7), { outcome: 'failed', reason: /^The batch limit was exceeded/ });
  await configure(place, { departmentDimensions: [] });
  t.match(await engine().runOldest(7), { outcome: 'failed', reason: 'The manager import is not valid' });
  await configure(place, { integrationEnabled: false });
  t.match(await engine().runOldest(7), { outcome: 'failed', reason: 'Company integration is not allowed' });
  const failures = (await recorded(log, stream)).filter(({ type }) => type === 'ImportFailed').map(dataOf);
  t.match(
    failures,
    exactly([
      { kind: 'employees', status: 400, validationErrors: [/^The batch limit/] },
      { kind: 'managers', status: 400, validationErrors: [/^ManagerRoles\[0\]/] },
      { kind: 'managers', status: 400, validationErrors: ['Company integration is not allowed'] },
    ]),
  );
  t.equal((await stateOf(place)).employees.count, 100, 'nothing changed');
});

t.test('it is decided again where the set changes while it ends', async (t) => {
  const elsewhere = await company(t);
  done(await elsewhere.engine().accept(request('employees', people(1, 9))));
  const [replaced] = (await recorded(elsewhere.log, stream)).slice(-1).map(dataOf);
  const { engine, log, clock } = await company(t);
  const operationId = await queue(engine(), 'employees', people(1, 2));
  let isChanged = false;
  const changed: EventLog = {
    ...log,
    append: async (name, expected, events) => {
      if (name === stream && !isChanged) {
        isChanged = true;
        await append({ log, clock }, { name: 'EmployeeSetReplaced', data: replaced } as DomainEvent);
      }
      return log.append(name, expected, events);
    },
  };
  t.match(await engine({ log: changed }).runOldest(7), { operationId, outcome: 'done' });
  const last = dataOf((await recorded(log, stream)).at(-1));
  t.match(
    last,
    { operationId, inserted: 1, updated: 0, removed: 1, total: 2 },
    'against the set of that moment',
  );
});

t.test('If-Match is checked again when it runs', async (t) => {
  const { engine, log } = await company(t);
  await engine().accept(request('employees', people(1)));
  await queue(engine(), 'employees', people(1, 2), { ifMatch: [1] });
  await queue(engine(), 'employees', people(1, 2, 3), { ifMatch: [1] });
  const [first, second] = await runAll(engine());
  t.match(first, { outcome: 'done' });
  t.match(second, { outcome: 'failed', reason: /If-Match names revision 1 of the set, and it is at 4 now/ });
  t.match(dataOf((await recorded(log, stream)).at(-1)), { status: 412 });
});

t.test('a payload that is not what was queued: three attempts, and the next import goes on', async (t) => {
  const damages: Record<string, (log: EventLog, name: string) => EventLog['readStream']> = {
    'a piece is missing': (log, name) => (stream, options) =>
      log.readStream(stream, stream === name ? { ...options, limit: 1 } : options),
    'nothing is there': (log, name) => (stream, options) =>
      log.readStream(stream === name ? 'payload-none' : stream, options),
    'another byte': (log, name) =>
      async function* (stream, options) {
        for await (const event of log.readStream(stream, options))
          yield stream === name ? { ...event, data: Uint8Array.from(event.data, (byte) => byte ^ 1) } : event;
      },
    'a piece too many': (log, name) =>
      async function* (stream, options) {
        for await (const event of log.readStream(stream, options)) {
          yield event;
          if (stream === name) yield event;
        }
      },
  };
  for (const [what, damage] of Object.entries(damages)) {
    const { engine, log } = await company(t);
    const operationId = await queue(engine(), 'employees', `${' '.repeat(600_000)}[]`);
    const next = await queue(engine(), 'employees', people(1));
    const name = `payload-${operationId}`;
    const damaged = () => engine({ log: { ...log, readStream: damage(log, name) } });
    for (const attempt of [1, 2]) {
      const result = await damaged().runOldest(7);
      t.match(result, { kind: 'attempt-failed', operationId, attempt, problem: new RegExp(name) }, what);
    }
    const reason = new RegExp(`^gave up after 3 attempts: The payload in ${name} `);
    t.match(await damaged().runOldest(7), { kind: 'ended', operationId, outcome: 'failed', reason });
    t.match(dataOf((await recorded(log, stream)).at(-1)), {
      operationId,
      status: 500,
      validationErrors: { length: 0 },
    });
    t.same(await names(log, `operation-${operationId}`), [
      ...Array.from({ length: importLimits.attempts }, () => ['ImportStarted', 'ImportAttemptFailed']).flat(),
    ]);
    t.match(await damaged().runOldest(7), { kind: 'ended', operationId: next, outcome: 'done' });
  }
});

t.test('an exception in a decision is an attempt, and tells no value', async (t) => {
  const { engine, digester } = await company(t);
  const operationId = await queue(engine(), 'employees', people(1));
  digester.memberDigest = () => {
    throw new TypeError('cannot do this to e1@example.com');
  };
  const result = await engine().runOldest(7);
  t.match(result, { kind: 'attempt-failed', operationId, attempt: 1 });
  const problem = result.kind === 'attempt-failed' ? result.problem : '';
  t.match(problem, /^TypeError at .*imports\.run\.test\.[jt]s/);
  t.notMatch(problem, /example/);
});

t.test('what an attempt writes has the ids by which written logs know it', async (t) => {
  const { engine, log } = await company(t);
  const operationId = await queue(engine(), 'employees', `${' '.repeat(4 * 1024 * 1024)}[]`);
  const name = `operation-${operationId}`;
  const withoutPayload: EventLog['readStream'] = (from, options) =>
    log.readStream(from.startsWith('payload-') ? 'payload-none' : from, options);
  await engine({ log: { ...log, readStream: withoutPayload } }).runOldest(7);
  t.match(await engine().runOldest(7), { kind: 'ended', outcome: 'done' });
  const ids = (places: readonly (number | string)[]) =>
    places.map((place) => eventId(operationId, name, place));
  const events = await recorded(log, name);
  t.same(
    events.map(({ id }) => id),
    ids(['10/one-process/1', 11, 19, '20/one-process/1', 21, 22, 23, 24]),
  );
  t.same(
    events.flatMap((event) => dataOf(event)['stage'] ?? []),
    ['reading', 'reading', 'deciding', 'writing', 'writing'],
  );
});

t.test('a crash between the third failed attempt and the end of the import', async (t) => {
  const { engine, log } = await company(t);
  const operationId = await queue(engine(), 'employees', people(1));
  const context = callContext({ operationId });
  const failed = (attempt: number) =>
    ({ name: 'ImportAttemptFailed', data: { operationId, attempt, problem: `bad ${attempt}` } }) as const;
  await decideAndAppend(
    { log, clock: { now: () => 0 } },
    {
      stream: `operation-${operationId}`,
      context,
      fold: { initial: () => null, evolve: () => null },
      decide: () => ({ kind: 'events', events: [failed(1), failed(2), failed(3)] }),
    },
  );
  const reason = 'gave up after 3 attempts: bad 3';
  t.match(await engine().runOldest(7), { operationId, outcome: 'failed', reason });
});
