import {
  CompanyStateCache,
  decideHeldImport,
  previewUndo,
  type UndoDeps,
  undoImport,
} from '@rollcall/application';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { callContext } from './decide-and-append.support.js';
import {
  company,
  dataOf,
  done,
  metadataOf,
  names,
  people,
  queue,
  recorded,
  request,
  runAll,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { turnsOf } from '../support/turns.js';
import { preview, undo, type UndoCall, undoDeps, undone } from './undo.support.js';

const statesOf = ({ snapshots, digester }: Company): CompanyStateCache =>
  new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });

async function replace(on: Company, list: unknown): Promise<string> {
  const call = request('employees', list);
  done(await on.engine().accept(call));
  return call.context.operationId;
}

const setOf = async (on: Company) => {
  const { employees } = await stateOf(on);
  const { count, setDigest, numbers, lastNumber } = employees;
  return { setDigest, lastNumber, numbers: Array.from(numbers.subarray(0, count)) };
};

t.test('many old addresses are looked up in turns of the event loop', async (t) => {
  const on = await company(t, { queueThreshold: null });
  const many = people(...Array.from({ length: 3_000 }, (_, at) => at + 1));
  await replace(on, many);
  const all = many.map((one) => ({ ...one, Lastname: 'New' }));
  const operation = await replace(on, all);
  await replace(on, [{ ...all[0], Lastname: 'Newer' }, ...all.slice(1)]);
  const { turns, result } = await turnsOf(() => preview(on, operation, { force: true }));
  t.match(result, { counts: { inserted: 0, updated: 2_999, removed: 0 }, later: { count: 1 } });
  t.ok(turns >= 6, `${turns} turns`);
});

t.test('the last import is taken back: numbers, values and dates are as before', async (t) => {
  const on = await company(t);
  const dated = people(1, 2, 3, 4).map((one) => ({ ...one, InvitationDate: '2027-01-01T00:00:00Z' }));
  await replace(on, dated);
  const changed = dated.map((one) => (one.EmployeeID === 'E-2' ? { ...one, Firstname: 'Bea' } : one));
  await replace(on, changed);
  const before = await setOf(on);
  const third = [...people(5), ...people(1, 4).map((one) => ({ ...one, Lastname: 'New' }))];
  const operation = await replace(on, third);
  const { id: causationId } = (await recorded(on.log, stream)).at(-1) ?? {};

  const shown = await preview(on, operation);
  t.match(shown, {
    kind: 'preview',
    counts: { inserted: 2, updated: 2, removed: 1 },
    returning: {
      count: 2,
      named: exactly([
        { id: '2', name: 'E-2' },
        { id: '3', name: 'E-3' },
      ]),
    },
    revision: 3,
    changed: { count: 2, named: exactly([{ name: 'E-1' }, { name: 'E-4' }]) },
    removed: { count: 1, named: exactly([{ id: '5', name: 'nr 5' }]) },
    later: { count: 0, named: { length: 0 } },
  });
  const { counts, operation: undoing } = undone(await undo(on, operation, { revision: 3 }));
  t.same(counts, [2, 2, 1]);
  t.same(await setOf(on), { ...before, lastNumber: 5 });
  const event = (await recorded(on.log, stream)).at(-1);
  t.match(metadataOf(event), {
    ...{ undoes: operation, operationId: undoing, reason: 'the wrong file', causationId },
  });
  t.match(dataOf(event), {
    changed: exactly(
      [1, 4].map((number) => ({ number, values: { Lastname: 'Example', InvitationDate: undefined } })),
    ),
    left: exactly([{ number: 5 }]),
    restored: exactly([
      { number: 2, values: { Firstname: 'Bea', InvitationDate: '2027-01-01T00:00:00Z' } },
      { number: 3, values: { InvitationDate: '2027-01-01T00:00:00Z' } },
    ]),
  });
  t.notMatch(JSON.stringify(metadataOf(event)), /E-\d/);
  t.same(done(await on.engine().accept(request('employees', changed))), [0, 0, 0]);
  t.same(done(await on.engine().accept(request('employees', third))), [1, 2, 2], 'that body again');
});

t.test('who comes back has the InvitationDate from before a change of other values', async (t) => {
  const on = await company(t);
  const [one, two] = people(1, 2).map((each) => ({ ...each, InvitationDate: '2027-01-01T00:00:00Z' }));
  await replace(on, [one, two]);
  await replace(on, [one, { ...two, Firstname: 'Bea' }]);
  undone(await undo(on, await replace(on, [one])));
  t.match(dataOf((await recorded(on.log, stream)).at(-1)), {
    restored: exactly([{ number: 2, values: { Firstname: 'Bea', InvitationDate: '2027-01-01T00:00:00Z' } }]),
  });
});

t.test('what a later import has touched is named, and left alone with --force', async (t) => {
  const on = await company(t);
  await replace(on, people(1, 2, 3, 4));
  const operation = await replace(on, people(1, 5, 6));
  const [one, five] = people(1, 5);
  await replace(on, [one, { ...five, Firstname: 'Eva' }, ...people(2)]);
  const { length } = await recorded(on.log, stream);
  const later = {
    count: 2,
    named: exactly([
      { id: '2', name: 'E-2' },
      { id: '5', name: 'nr 5' },
    ]),
  };
  const refused = { kind: 'refused', rejection: { reason: 'changed-later', later } };
  t.match(await undo(on, operation), refused, 'E-2 was added again, and 5 has another name');
  t.match(await preview(on, operation), refused);
  t.equal((await recorded(on.log, stream)).length, length);

  t.match(await preview(on, operation, { force: true }), { later, counts: { inserted: 2, removed: 0 } });
  const forced = undone(await undo(on, operation, { force: true }));
  t.same(forced.counts, [2, 0, 0]);
  t.same((await setOf(on)).numbers, [1, 3, 4, 5, 7]);
  t.same(undone(await undo(on, operation, { force: true })).counts, [0, 0, 0], 'nothing is left to undo');
  t.same((await names(on.log)).at(-1), 'EmployeeSetConfirmed');
  t.same(undone(await undo(on, forced.operation)).counts, [0, 0, 2], 'an undo is undone like an import');
});

t.test('an undo that is done is no failure while the read models are away', async (t) => {
  const on = await company(t);
  await replace(on, people(1, 2));
  const operationId = await replace(on, people(1));
  const findRows = () => Promise.reject(new Error('the read models are away'));
  const command = { companyId: 7, operationId, force: false };
  const outcome = await undoImport({ ...undoDeps(on), findRows }, callContext({ userId: null }), command);
  t.same(undone(outcome).counts, [1, 0, 0]);
});

t.test('a person under a new EmployeeID has the old one again', async (t) => {
  const on = await company(t);
  const engine = on.engine();
  await replace(on, people(1, 2));
  const before = await setOf(on);
  const [one, two] = people(1, 2);
  const call = request('employees', [one, { ...two, EmployeeID: 'X-2' }], { keepsRenames: true });
  const rows = (_: string, _company: number, numbers: readonly number[]) =>
    Promise.resolve(numbers.map((number) => people(1, 2)[number - 1]));
  t.same(done(await on.engine({ findRows: rows }).accept(call)), [0, 1, 0]);
  t.same(undone(await undo(on, call.context.operationId)).counts, [0, 1, 0]);
  t.same(await setOf(on), before);
  t.same(done(await engine.accept(request('employees', people(2, 1)))), [0, 0, 0]);
});

t.test('who has an address that somebody else has now stays away', async (t) => {
  const on = await company(t);
  await replace(on, people(1, 2, 3));
  const operation = await replace(on, people(1));
  const [, two] = people(1, 2);
  await replace(on, [...people(1), { ...two, EmployeeID: 'X-2', Email: 'E2@example.com' }]);
  const refused = await undo(on, operation);
  t.match(refused, { rejection: { later: { count: 1, named: exactly([{ id: '2', name: 'E-2' }]) } } });
  undone(await undo(on, operation, { force: true }));
  t.same((await setOf(on)).numbers, [1, 3, 4]);
});

t.test('who has contacts that two have now stays away where one of them stays', async (t) => {
  const on = await company(t);
  const [one, two, three, four] = people(1, 2, 3, 4);
  const Phonenumber = '+4512345678';
  await replace(on, [one, { ...two, Phonenumber }]);
  const operation = await replace(on, [one, { ...three, Phonenumber }]);
  await replace(on, [one, { ...three, Phonenumber }, { ...four, Email: two?.Email }]);
  const named = exactly([{ id: '2', name: 'E-2' }]);
  t.match(await undo(on, operation), { rejection: { later: { count: 1, named } } });
});

t.test('who gets the address while the undo is appended is seen', async (t) => {
  const on = await company(t);
  const [one, two, three] = people(1, 2, 3);
  await replace(on, [one, two]);
  const operation = await replace(on, [one]);
  await replace(on, [one, three]);
  on.log.script = [() => replace(on, [one, { ...three, Email: two?.Email }])];
  t.match(await undo(on, operation), { rejection: { later: { count: 1, named: exactly([{ id: '2' }]) } } });
});

t.test('all who would leave and have an invitation are counted once', async (t) => {
  const on = await company(t, { queueThreshold: null });
  await replace(on, people(1));
  const operationId = await replace(on, people(...Array.from({ length: 514 }, (_, at) => at + 1)));
  const command = { companyId: 7, operationId, force: false, revision: undefined };
  for (const [progress, count] of [
    [{ firstSentAt: '2027-01-01T00:00:00Z' }, 513],
    [{}, 0],
  ] as const) {
    const document = Buffer.from(JSON.stringify(progress));
    const readModels: UndoDeps['readModels'] = {
      ...on.readModels,
      getMany: (_, keys, take) => Promise.resolve(keys.map((_key, at) => take(document, at))),
    };
    t.match(await previewUndo({ ...undoDeps(on), readModels }, command), { sent: { count } });
  }
});

t.test('what is refused: nothing to undo, imports that wait, a set that was not shown', async (t) => {
  const on = await company(t);
  const reasonOf = async (operation: string, call: UndoCall = {}) => {
    const outcome = await undo(on, operation, call);
    return outcome.kind === 'refused' ? outcome.rejection : undefined;
  };
  const first = await replace(on, people(1, 2));
  const same = await replace(on, people(2, 1));
  t.match(await reasonOf(same), { reason: 'changed-nothing' });
  t.match(await reasonOf(callContext().operationId), { reason: 'unknown' });
  t.match(await reasonOf(first, { revision: 5 }), { reason: 'set-changed', current: 1 });
  t.match(await preview(on, first, { revision: 5 }), { rejection: { reason: 'set-changed', current: 1 } });
  const waiting = await queue(on.engine(), 'employees', people(3));
  t.match(await reasonOf(waiting), { reason: 'pending' });
  t.match(await reasonOf(first), { reason: 'imports-pending', operationId: waiting });
  t.equal((await names(on.log)).at(-1), 'ImportQueued');
});

t.test('no limit holds an undo back; a held import does, until it is decided on', async (t) => {
  const on = await company(t, { batchLimit: 25, batchLimitFrom: 4, overLimit: 'hold' });
  await replace(on, people(1, 2, 3, 4));
  const decide = async (operationId: string, decision: 'approve' | 'reject') => {
    const command = { companyId: 7, operationId, decision, outcome: undefined };
    t.match(
      await decideHeldImport(
        { ...undoDeps(on), states: statesOf(on) },
        callContext({ userId: null }),
        command,
      ),
      { kind: 'decided' },
    );
    await runAll(on.engine());
  };
  const approved = await queue(on.engine(), 'employees', people(1));
  await runAll(on.engine());
  t.match(await undo(on, approved), { rejection: { reason: 'pending' } });
  await decide(approved, 'approve');
  t.same(undone(await undo(on, approved)).counts, [3, 0, 0]);
  const rejected = await queue(on.engine(), 'employees', people(2));
  await runAll(on.engine());
  t.match(await undo(on, approved), { rejection: { reason: 'imports-pending', operationId: rejected } });
  await decide(rejected, 'reject');
  t.match(await undo(on, rejected), { rejection: { reason: 'rejected' } });
});

t.test('a repeat of the same undo has its first outcome', async (t) => {
  const on = await company(t);
  const first = await replace(on, people(1, 2));
  const context = callContext({ userId: null, reason: 'twice' });
  const { counts } = undone(await undo(on, first, { context }));
  t.same(counts, [0, 0, 2]);
  await replace(on, people(3));
  t.same(undone(await undo(on, first, { context })).counts, [0, 0, 2]);
  t.same((await setOf(on)).numbers, [3]);
});
