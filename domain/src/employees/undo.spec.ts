import assert from 'node:assert/strict';
import { EmployeeSetBuilder, readSetElement, SetEventParser } from '@rollcall/employee-lists/set';
import { digester, exactly, type Sent } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { configured, given } from './employees.testing.js';
import { undoEmployeeSet, type EmployeeSetUndo, undoneSource, type UndoEmployeeSet } from './undo.js';

const person = (id: string, Firstname = 'Ada'): Sent => ({
  EmployeeID: id,
  Firstname,
  Lastname: 'Example',
  Email: `${id}@example.com`,
  EmploymentStatus: 0,
});

/** The undo of the second of these lists, once all were carried out. */
function when(lists: readonly (readonly Sent[])[], more: Partial<UndoEmployeeSet> = {}) {
  const setAfter = (count: number) => given(configured(), ...lists.slice(0, count)).employees;
  const command = {
    operationId: '019aa2f0-5c00-7000-8000-000000000001',
    before: setAfter(1),
    after: setAfter(2),
    force: false,
    digester,
    ...more,
  };
  const present = setAfter(lists.length);
  return { command, present, undo: undoEmployeeSet(command, present) };
}

/** The undo's event, and the set with it folded on. */
function eventOf({ command, present, undo }: ReturnType<typeof when>) {
  assert.ok(undo.kind === 'replaced');
  const values = (number: number): string => JSON.stringify(person(`n${number}`));
  const chunks = [...undoneSource(undo, command, values).chunks()];
  const builder = new EmployeeSetBuilder(present, digester);
  const parser = new SetEventParser((kind, bytes, start) =>
    builder.apply(readSetElement(kind, bytes, start)),
  );
  for (const chunk of chunks) parser.push(chunk);
  assert.deepEqual(parser.finish(), undo.summary);
  return { chunks, data: JSON.parse(Buffer.concat(chunks).toString()) as unknown, set: builder.finish() };
}

const numbersOf = (undo: EmployeeSetUndo): unknown =>
  undo.kind === 'refused'
    ? undo.later
    : Object.values(undo.change).map((all: EmployeeSetUndo['later'] | readonly { number: number }[]) =>
        all.map((one) => (typeof one === 'number' ? one : one.number)),
      );

const [first, second] = [
  [person('a'), person('b'), person('c')],
  [person('a', 'Bea'), person('d')],
];

tap.test('given no later import: who left is restored, who changed is changed back, who came leaves', (t) => {
  const undone = when([first, second]);
  t.same(numbersOf(undone.undo), [[2, 3], [1], [4]]);
  const { data, set } = eventOf(undone);
  t.match(data, {
    bodySha256: '0'.repeat(64),
    ...{ inserted: 2, updated: 1, removed: 1, total: 3, lastNumber: 4 },
    setDigest: undone.command.before.setDigest,
    added: { length: 0 },
    changed: exactly([{ number: 1, idDigest: undefined, values: { EmployeeID: 'n1' } }]),
    left: exactly([{ number: 4 }]),
    restored: exactly([
      { number: 2, idDigest: /^[0-9a-f]{32}$/, values: { EmployeeID: 'n2' } },
      { number: 3, values: { EmployeeID: 'n3' } },
    ]),
  });
  t.equal(set.setDigest, undone.command.before.setDigest, 'as the set before');
  t.same(numbersOf(when([first, first.slice(0, 2)]).undo), [[3], [], []], 'the last alone');
  t.end();
});

tap.test('the event of a large undo comes in chunks', (t) => {
  const all = Array.from({ length: 1_000 }, (_, at) => person(`p${at}`));
  const undone = when([all, all.slice(0, 1)]);
  const { chunks, set } = eventOf(undone);
  t.ok(chunks.length > 2 && chunks.every(({ length }) => length < 66_000));
  t.equal(set.setDigest, undone.command.before.setDigest);
  t.end();
});

tap.test('given a later import: what it touched is refused, and left alone by force', (t) => {
  const third = [person('a', 'Cy'), person('d'), person('c')];
  t.same(numbersOf(when([first, second, third]).undo), [1, 3], 'another name, and c is number 5 now');
  const { undo } = when([first, second, third], { force: true });
  t.match(undo, { kind: 'replaced', later: exactly([1, 3]) });
  t.same(numbersOf(undo), [[2], [], [4]]);
  t.same(numbersOf(when([first, first.slice(1), first]).undo), [1], 'a is number 4 now');
  t.end();
});

tap.test('given a later import of others: they stay, and what the import changed is as before', (t) => {
  const changed = [person('a', 'Bea'), person('b'), person('c')];
  const third = [person('a', 'Bea'), person('b', 'Bo'), person('c')];
  t.same(numbersOf(when([first, changed, third]).undo), [[], [1], []]);
  t.end();
});

tap.test('given a later import that restored it by itself: nothing is left to undo', (t) => {
  const changed = [person('a', 'Bea'), person('b'), person('c')];
  const { undo } = when([first, changed, first]);
  t.match(undo, {
    kind: 'confirmed',
    later: { length: 0 },
    summary: { inserted: 0, updated: 0, removed: 0, total: 3 },
  });
  t.end();
});

tap.test('somebody else has the address now: who left stays away, unless the other leaves', (t) => {
  const of = (holder: number) =>
    when([first, second], { force: true, holders: new Map([[2, [holder]]]) }).undo;
  t.match(of(1), { later: { length: 0 } }, 'number 1 is changed back');
  t.match(of(4), { later: { length: 0 } }, 'number 4 leaves');
  t.match(of(9), { later: exactly([2]) });
  const both = new Map([2, 3].map((number) => [number, [9]]));
  t.match(when([first, second], { force: true, holders: both }).undo, { later: exactly([2, 3]) });
  t.match(when([first, second], { holders: new Map([[2, [9]]]) }).undo, {
    kind: 'refused',
    later: exactly([2]),
  });
  t.end();
});

tap.test('somebody has the EmployeeID of who left by now: who left stays away', (t) => {
  const { command, present } = when([first, first.slice(0, 1)]);
  const builder = new EmployeeSetBuilder(present, digester);
  const idDigest = command.before.ids.words.slice(4, 8);
  builder.apply({ kind: 'changed', number: 1, idDigest, digest: Uint32Array.of(1, 2, 3, 4) });
  t.match(undoEmployeeSet(command, builder.finish()), { kind: 'refused', later: exactly([2]) });
  t.end();
});

tap.test('each of 20,000 has the address of the one before now, and the first keeps it: all stay', (t) => {
  const all = Array.from({ length: 20_000 }, (_, at) => person(`p${at}`));
  const shifted = all.map((one) => ({ ...one, Firstname: 'Bea' }));
  const later = shifted.map((one, at) => (at === 0 ? { ...one, Firstname: 'Cy' } : one));
  const holders = new Map(all.slice(1).map((_, at) => [at + 2, [at + 1]]));
  const { undo } = when([all, shifted, later], { force: true, holders });
  t.match(undo, { kind: 'confirmed', later: { length: 20_000 } });
  const { undo: others } = when([all, shifted, later], {
    force: true,
    holders: new Map([
      [9, [8]],
      [8, [9]],
    ]),
  });
  t.strictSame(others.later, [1], 'two who have each other’s');
  t.end();
});

tap.test('given an import that gave a person another EmployeeID: the old one is back', (t) => {
  const before = given(configured(), first).employees;
  const builder = new EmployeeSetBuilder(before, digester);
  const [idDigest, digest] = [Uint32Array.of(1, 2, 3, 4), before.digests.slice(8, 12)];
  builder.apply({ kind: 'changed', number: 2, idDigest, digest });
  const after = builder.finish();
  t.not(after.setDigest, before.setDigest);
  const operationId = '019aa2f0-5c00-7000-8000-000000000001';
  const undo = undoEmployeeSet({ operationId, before, after, force: false, digester }, after);
  assert.ok(undo.kind === 'replaced');
  t.same(numbersOf(undo), [[], [2], []]);
  t.equal(undo.after.setDigest, before.setDigest);
  t.equal(undo.after.ids.find(before.ids.words, 4), 1);
  t.equal(undo.after.ids.find(idDigest, 0), -1);
  t.end();
});
