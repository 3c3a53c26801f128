import { projections, partsOf } from '@rollcall/projector';
import { loadEvent, readPendingImports, type DocumentWrite, type LoadedEvent } from '@rollcall/application';

import t from 'tap';
import { doubled } from './doubled.support.js';
import { id, person, write } from './import-calls.support.js';
import {
  attemptFailed,
  cancelled,
  failed,
  progressed,
  queued,
  rolesConfirmed,
  rolesImported,
  setConfirmed,
  started,
} from './import-events.support.js';
import {
  append,
  openRig,
  contents,
  document,
  emptyStore,
  employeeSet,
  projectAll,
  type Rig,
} from './projector.support.js';

t.test('pending imports: queued and not ended, in the order in which they run', async (t) => {
  const on = await openRig(t);
  const pending = async (): Promise<string[]> => {
    await projectAll({ ...on, projections });
    return (await readPendingImports(on.readModels, 7)).map((one) => one.operationId);
  };
  await write(on, [queued(id(2)), queued(id(1), { kind: 'managers', elements: 500 })], { userId: 4 });
  await append(on, 'company-8', queued(id(3)), { companyId: 8, operationId: id(3) });
  t.strictSame(await pending(), [id(2), id(1)]);
  t.strictSame(await document(on.readModels, 'pending-imports', [7, id(1)]), {
    operationId: id(1),
    companyId: 7,
    kind: 'managers',
    revision: 1,
    method: 'PUT /v1.0/company/7/employee',
    userId: 4,
    username: 'HR system',
    queuedAt: '2026-11-21T09:00:02.000Z',
    elements: 500,
  });
  await write(on, [started(id(2)), setConfirmed(id(5)), failed(id(6))]);
  t.strictSame(await pending(), [id(2), id(1)], 'the end of another import is none of theirs');
  await append(on, 'company-7', employeeSet({ total: 0, lastNumber: 0 }), { operationId: id(2) });
  t.strictSame(await pending(), [id(1)]);
  await write(on, [cancelled(id(1), 'managers')], person);
  t.strictSame(await pending(), []);
  t.match(await readPendingImports(on.readModels), [{ companyId: 8, operationId: id(3) }]);
});

/** One of everything in the life of imports. */
async function lives(on: Rig): Promise<void> {
  await write(on, [queued(id(1)), queued(id(2)), queued(id(3)), queued(id(4)), queued(id(5))]);
  await write(on, [started(id(1)), progressed(id(1), 10), attemptFailed(id(1)), started(id(1), 2)]);
  await append(on, 'company-7', employeeSet({ added: [{ number: 1, id: 'a' }], total: 1, lastNumber: 1 }), {
    operationId: id(1),
  });
  await write(on, [progressed(id(1), 20, 2), started(id(2)), failed(id(2)), progressed(id(2), 50)]);
  await write(on, [cancelled(id(3))], { ...person, reason: 'no' });
  await write(on, [setConfirmed(id(4)), rolesImported(id(6), { created: 1 }), rolesConfirmed(id(7))]);
  await write(on, [started(id(5)), progressed(id(5), 30)]);
}

t.test('run twice, part by part and event by event, is the same as run once', async (t) => {
  const on = await openRig(t);
  await lives(on);
  await projectAll({ ...on, projections });
  const twice = await emptyStore(t, on);
  await projectAll({ ...on, readModels: twice, projections: projections.map(doubled) });
  const once = await contents(on.readModels);
  t.strictSame(await contents(twice), once);
  t.equal(once.filter((line) => line.startsWith('api-calls')).length, 7);
  t.equal(once.filter((line) => line.startsWith('pending-imports')).length, 1);
});

t.test(
  'the ApiCalls row of an event is written last, and the import is no more pending before it',
  async (t) => {
    const on = await openRig(t);
    await lives(on);
    const seen = new Map<string, string>();
    for await (const event of events(on)) {
      const writes: DocumentWrite[] = [];
      for await (const part of partsOf(projections, event)) writes.push(...part);
      seen.set(
        event.name,
        writes
          .slice(-2)
          .map(({ op, collection }) => `${op} ${collection}`)
          .join(),
      );
    }
    const row = 'put api-calls';
    const end = `remove pending-imports,${row}`;
    t.strictSame(Object.fromEntries(seen), {
      ImportQueued: `put pending-imports,${row}`,
      ImportStarted: row,
      ImportProgressed: row,
      ImportAttemptFailed: row,
      EmployeeSetReplaced: end,
      EmployeeSetConfirmed: end,
      ManagerRolesImported: end,
      ManagerRolesConfirmed: end,
      ImportFailed: end,
      ImportCancelled: end,
    });
  },
);

async function* events({ log }: Rig): AsyncGenerator<LoadedEvent> {
  const { signal } = new AbortController();
  for await (const item of log.subscribeToAll({ after: undefined, withoutStreams: ['data-'], signal })) {
    if (item.kind === 'caught-up') return;
    yield loadEvent(log, item.event);
  }
}
