import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ArrivingBody,
  type ArrivedBody,
  EventLogUnavailable,
  type BodyMarks,
  BoundedCache,
  importLimits,
  Limiter,
} from '@rollcall/application';
import type { ImportKind } from '@rollcall/contracts';
import type { Digester } from '@rollcall/employee-lists';
import { readEmployeeList } from '@rollcall/employee-lists/testing';
import t, { type Test } from 'tap';
import { employeesBody, generatedEmployees } from '../generators/employees.js';
import { exactly } from '../support/exactly.js';
import { openBodies } from '../support/open-bodies.js';
import {
  type CallOptions,
  company,
  dataOf,
  done,
  people,
  recorded,
  request,
  roles,
  stateOf,
  stream,
} from './imports.support.js';

const mebibyte = 1024 * 1024;

/** Whole numbers below `sides`, the same in each run. */
function rolls(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % sides;
  };
}

function depsOf({ folder, digester }: { readonly folder: string; readonly digester: Digester }) {
  return {
    digester,
    temporaryFolder: folder,
    lastBodies: new BoundedCache<number, BodyMarks>({ most: 10 }),
    readers: new Limiter(importLimits.readersPerThread),
  };
}

const arriving = { kind: 'employees', companyId: 7, expectedBytes: undefined } as const;

/** Hands the body over in chunks of random lengths. */
function arrive(body: ArrivingBody, bytes: Uint8Array, longest: number, seed = 1): ArrivedBody {
  const roll = rolls(seed);
  for (let at = 0; at < bytes.length;) {
    const length = 1 + roll(longest);
    // Whoever hands bytes over may use their memory for something else.
    const chunk = Uint8Array.from(bytes.subarray(at, at + length));
    body.add(chunk);
    chunk.fill(0x21);
    at += length;
  }
  return body.finish();
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)));

function sameAsWhole(t: Test, { body, employees }: ArrivedBody, bytes: Uint8Array, digester: Digester): void {
  t.equal(body.length, bytes.length);
  t.equal(body.sha256, sha256(bytes));
  const copied = new Uint8Array(bytes.length + 10);
  t.equal(body.copy(copied, 0), bytes.length);
  t.ok(Buffer.from(copied.subarray(0, bytes.length)).equals(bytes), 'the bytes as they came');
  const whole = readEmployeeList(bytes, digester);
  if (whole.status === 'invalid' || employees?.status !== 'valid') {
    t.same(employees, whole);
    return;
  }
  const { count } = whole.list;
  for (const part of ['bounds', 'ids', 'digests', 'plain'] as const) {
    const each = whole.list[part].length / whole.list.plain.length;
    t.same(employees.list[part].slice(0, count * each), whole.list[part].slice(0, count * each), part);
  }
  for (const element of [count - 1, 0, count >> 1]) {
    const [start = 0, end = 0] = whole.list.bounds.subarray(element * 2);
    t.same(employees.list.bytes(start, end).toString(), Buffer.from(bytes).toString('utf8', start, end));
  }
}

t.test('a body that arrives in chunks is the one that is read whole, wherever they end', async (t) => {
  const on = await company(t);
  const some = generatedEmployees(300);
  const long = 'x'.repeat(70_000);
  const bodies: Record<string, Uint8Array> = {
    'a list': bytesOf(some),
    'another order, other white space': employeesBody(500, { shuffled: true }),
    'elements longer than what is read at a time': bytesOf(
      some.map((one, i) => (i % 50 ? one : { ...one, Extra: long })),
    ),
    'what the fast reader leaves': bytesOf(some.map((one) => ({ ...one, Extra: { deep: [[{}]] } }))),
    'repeated values': bytesOf(some.flatMap((one, i) => (i % 20 ? [one] : [one, one]))),
    'cut off': bytesOf(some).subarray(0, 9_999),
    'not UTF-8': Buffer.concat([bytesOf(some).subarray(0, 5_000), Buffer.from([0xc3]), bytesOf(some)]),
  };
  for (const [what, bytes] of Object.entries(bodies))
    for (const longest of [3, 1_000, 300_000])
      await t.test(`${what}, in chunks of up to ${longest}`, async (t) => {
        const body = new ArrivingBody(depsOf(on), arriving);
        sameAsWhole(t, arrive(body, bytes, longest), bytes, on.digester);
        t.equal(await openBodies(on.folder), 1);
        body.close();
        t.equal(await openBodies(on.folder), 0, 'its file is gone when it is closed');
      });
  t.notOk(
    (await readdir(on.folder)).some((name) => name.startsWith('.spool-')),
    'and never had a name',
  );
});

t.test('the last body of a company is not read again as long as nothing tells the two apart', async (t) => {
  const on = await company(t);
  const deps = depsOf(on);
  const bytes = employeesBody(8_000);
  t.ok(bytes.length > 2.5 * mebibyte);
  const takeUp = (sent: Uint8Array, change = {}): ArrivedBody => {
    const body = new ArrivingBody(deps, { ...arriving, ...change });
    t.teardown(() => body.close());
    const arrived = arrive(body, sent, 200_000);
    body.accepted();
    return arrived;
  };
  const isRead = ({ employees }: ArrivedBody): boolean => employees !== undefined;
  t.ok(isRead(takeUp(bytes)), 'the first time');
  t.notOk(isRead(takeUp(bytes)), 'the same bytes');
  t.ok(isRead(takeUp(bytes, { companyId: 8 })), 'of another company');
  for (const at of [10, 1.5 * mebibyte, 2 * mebibyte - 1_000]) {
    const changed = Uint8Array.from(bytes);
    const place = Buffer.from(changed).indexOf('"Firstname":"', at) + '"Firstname":"'.length;
    changed[place] = 0x51;
    takeUp(bytes);
    const arrived = takeUp(changed);
    t.ok(isRead(arrived), `another byte from ${at} on`);
    sameAsWhole(t, arrived, changed, on.digester);
  }
  takeUp(bytes);
  const longer = Buffer.concat([bytes, Buffer.from(' \n')]);
  const behind = takeUp(longer);
  t.notOk(isRead(behind), 'what differs behind the last mark is read when it is decided on');
  t.equal(behind.body.sha256, sha256(longer));
  t.notOk(isRead(takeUp(longer)));
});

t.test('four bodies are read side by side, others are only stored; readers are given back', async (t) => {
  const on = await company(t);
  const deps = depsOf(on);
  const bytes = bytesOf(generatedEmployees(20));
  const begin = (): ArrivingBody => {
    const body = new ArrivingBody(deps, arriving);
    body.add(bytes.subarray(0, 100));
    return body;
  };
  const finish = (body: ArrivingBody): ArrivedBody => {
    body.add(bytes.subarray(100));
    return body.finish();
  };
  for (let round = 0; round < 3; round++) {
    const bodies = Array.from({ length: 6 }, begin);
    const [cutOff, ...others] = bodies;
    cutOff?.close();
    const read = others.map((body) => finish(body).employees?.status);
    t.same(read, ['valid', 'valid', 'valid', undefined, undefined]);
    for (const body of others) body.close();
  }
  t.equal(await openBodies(on.folder), 0);
});

const stored = (kind: ImportKind, arrived: ArrivedBody, options: CallOptions = {}) => ({
  ...request(kind, '', options),
  ...arrived,
});

t.test('a decision made again reads the body again from its file', async (t) => {
  for (const isRead of [true, false]) {
    const on = await company(t);
    done(await on.engine().accept(request('employees', people(1, 2))));
    const body = new ArrivingBody(depsOf(on), arriving);
    const arrived = arrive(body, bytesOf(people(2, 3, 4)), 50);
    const call = stored('employees', isRead ? arrived : { body: arrived.body });
    on.log.script = [
      async () => void done(await on.engine().accept(request('employees', people(3, 9), { ifMatch: null }))),
    ];
    t.same(done(await on.engine().acceptStored(call)), [2, 0, 1], 'against the set that came in between');
    const events = (await recorded(on.log, stream)).filter(({ type }) => type.startsWith('EmployeeSet'));
    t.match(dataOf(events.at(-1)), { bodySha256: arrived.body.sha256, inserted: 2, removed: 1 });
    body.close();
  }
});

t.test('managers, rehearsals and queued imports have their body from the file too', async (t) => {
  const on = await company(t);
  const takeUp = (kind: ImportKind, value: unknown): ArrivedBody => {
    const body = new ArrivingBody(depsOf(on), { ...arriving, kind });
    t.teardown(() => body.close());
    return arrive(body, bytesOf(value), 50);
  };
  const accept = (kind: ImportKind, value: unknown, options: CallOptions = {}) =>
    on.engine().acceptStored(stored(kind, takeUp(kind, value), options));
  t.equal(takeUp('managers', roles(1)).employees, undefined);
  t.same(done(await accept('managers', roles(1, 2))), [2, 0, 0]);
  t.match(await accept('employees', people(1, 2), { dryRun: true }), {
    kind: 'dry-run',
    result: { Inserted: 2, Changes: { Inserted: exactly(['E-1', 'E-2']) } },
  });
  const queued = await accept('employees', people(1, 2), { prefersAsync: true });
  t.equal(queued.kind, 'queued');
  t.match(await on.engine().runOldest(7), { kind: 'ended', outcome: 'done' });
  t.equal((await stateOf(on)).employees.count, 2);
});

t.test('a folder that takes no file is an outage', async (t) => {
  const on = await company(t);
  const deps = { ...depsOf(on), temporaryFolder: join(on.folder, 'nowhere') };
  t.throws(() => new ArrivingBody(deps, arriving), EventLogUnavailable);
});
