import { projections, rebuildInto } from '@rollcall/projector';
import { readPendingImports, type DocumentKey } from '@rollcall/application';

import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { positions, runTwice } from './run-twice.support.js';
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
  employeeSet,
  projectAll,
  type Rig,
} from './projector.support.js';
import { exactly } from '../support/exactly.js';

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
  t.match(await readPendingImports(on.readModels), exactly([{ companyId: 8, operationId: id(3) }]));
});

t.test('imports that have ended are not passed when the pending ones are read', async (t) => {
  const on = await openRig(t);
  await write(on, [queued(id(1)), queued(id(2)), queued(id(3)), queued(id(4))]);
  await write(on, [failed(id(1)), failed(id(2)), failed(id(4))]);
  await projectAll({ ...on, projections });
  const passed: DocumentKey[] = [];
  const reader: Parameters<typeof readPendingImports>[0] = {
    async *findByIndex(...given) {
      for await (const one of on.readModels.findByIndex(...given)) {
        passed.push(one.key);
        yield one;
      }
    },
    getMany: (collection, keys, take) => on.readModels.getMany(collection, keys, take),
  };
  const pending = await readPendingImports(reader);
  t.match(pending, exactly([{ companyId: 7, operationId: id(3) }]));
  t.strictSame(passed, [[7, id(3)]], 'a walk of the collection would pass their tombstones');
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

t.test(
  'each event run twice, and interrupted before each of its writes, is the same as run once',
  async (t) => {
    const on = await openRig(t);
    await lives(on);
    await runTwice(t, on);
    await projectAll({ ...on, projections });
    const once = await contents(on.readModels);
    t.equal(once.filter((line) => line.startsWith('api-calls')).length, 7);
    t.equal(once.filter((line) => line.startsWith('pending-imports')).length, 1);
  },
);

t.test('the import is no more pending before its ApiCalls row tells how it ended', async (t) => {
  const on = await openRig(t);
  await lives(on);
  const seen = new Set<string>();
  const model = new ModelReadModels();
  for (const position of await positions(on)) {
    const writes: string[] = [];
    model.beforeWrite = ({ op, collection }) => Promise.resolve(void writes.push(`${op} ${collection}`));
    await rebuildInto(model, { ...on, projections }, position);
    const own = writes.filter((one) => /pending-imports|api-call/.test(one));
    seen.add(own.join());
  }
  t.strictSame([...seen].sort(), [
    'put api-call-attempts',
    'put api-calls',
    'put pending-imports,put api-calls',
    'remove pending-imports,put api-calls',
  ]);
});
