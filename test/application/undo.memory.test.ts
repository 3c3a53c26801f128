import { type UndoDeps, undoImport } from '@rollcall/application';
import type { CompanyState } from '@rollcall/domain';
import { existsSync, readdirSync } from 'node:fs';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import { company, done, people, request, stateOf, type Company } from './imports.support.js';
import { preview, undoDeps } from './undo.support.js';

async function replace(on: Company, list: unknown): Promise<string> {
  const call = request('employees', list);
  done(await on.engine().accept(call));
  return call.context.operationId;
}

/** The state that the process of an undo remembers. */
async function remembered(on: Company, operationId: string) {
  let state: CompanyState | undefined;
  const put: UndoDeps['states']['put'] = (_stream, loaded) => void (state = loaded.state);
  const command = { companyId: 7, operationId, force: false };
  await undoImport({ ...undoDeps(on), states: { put } }, callContext(), command);
  return state;
}

t.test('what the process of an undo remembers of the company is what the log says', async (t) => {
  const on = await company(t);
  await replace(on, people(1, 2));
  const operation = await replace(on, [...people(1), ...people(3)]);
  t.match(await preview(on, operation), { changes: { comeBack: 1, changedBack: 0, removed: 1 } });
  for (const what of ['undone', 'undone already']) {
    const state = await remembered(on, operation);
    const { setDigest, numbers, count } = (await stateOf(on)).employees;
    t.equal(count, 2);
    t.equal(state?.employees.setDigest, setDigest, what);
    t.strictSame(state?.employees.numbers.subarray(0, count), numbers.subarray(0, count));
    t.strictSame(state?.revisions, (await stateOf(on)).revisions);
  }
});

t.test('an undo counts who is as before again', async (t) => {
  const on = await company(t);
  await replace(on, people(1, 2));
  const operation = await replace(
    on,
    people(1, 2).map((one) => ({ ...one, Lastname: 'New' })),
  );
  t.match(await preview(on, operation), { changes: { comeBack: 0, changedBack: 2, removed: 0 } });
});

const openFiles = '/proc/self/fd';

t.test('an undo leaves no file open', { skip: !existsSync(openFiles) }, async (t) => {
  const on = await company(t);
  await replace(on, people(1, 2));
  const operation = await replace(on, people(1));
  const before = readdirSync(openFiles).length;
  for (let round = 0; round < 10; round++) await preview(on, operation);
  t.ok(readdirSync(openFiles).length < before + 10);
});
