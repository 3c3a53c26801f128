import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  EmployeeSetBuilder,
  emptySet,
  hasSoundDigest,
  readFullElement,
  readSetElement,
  SetEventParser,
  SetMismatch,
  type FullElement,
} from '@rollcall/employee-lists/set';
import { arbitraryEmployees, digester, exactly, scaled, type Sent } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import type { EmployeeSetDecision, EmployeeSetState } from './decide.js';
import { after, configured, counts, given, when } from './employees.testing.js';
import { emailDigest, type KnownEmail, type KnownEmails, valuesDigestAt } from './renames.js';

const person = (id: string, email = `${id}@example.com`): Sent => ({
  EmployeeID: id,
  Firstname: 'Ada',
  Lastname: 'Example',
  Email: email,
  EmploymentStatus: 0,
});

/** What a look-up of everybody who is present finds. */
function emailsOf({ employees }: EmployeeSetState, body: readonly Sent[]): KnownEmails {
  const known = new Map<number, KnownEmail>();
  const words = new Uint32Array(4);
  for (const { EmployeeID, Email } of body) {
    digester.idDigestOf(EmployeeID, words, 0);
    const index = employees.ids.find(words, 0);
    const digest = valuesDigestAt(employees, index);
    known.set(employees.numbers[index] ?? 0, { email: emailDigest(Email, digester), digest });
  }
  return known;
}

const decide = (before: EmployeeSetState, first: readonly Sent[], second: readonly Sent[]) =>
  when(before, JSON.stringify(second), { knownEmails: emailsOf(before, first) });

function entriesOf(before: EmployeeSetState, decision: EmployeeSetDecision): readonly FullElement[] {
  if (decision.kind !== 'replaced') return [];
  const builder = new EmployeeSetBuilder(before.employees, digester);
  const entries: FullElement[] = [];
  const parser = new SetEventParser((kind, bytes, start, end) => {
    builder.apply(readSetElement(kind, bytes, start));
    entries.push(readFullElement(kind, bytes, start, end));
  });
  for (const chunk of decision.source.chunks()) parser.push(chunk);
  parser.finish();
  const folded = builder.finish();
  assert.equal(folded.setDigest, decision.summary.setDigest);
  assert.ok(hasSoundDigest(folded, digester));
  assert.deepEqual(Array.from(folded.numbers.subarray(0, folded.count)), numbersOf(decision.after));
  return entries;
}

const numbersOf = ({ numbers, count }: EmployeeSetState['employees']): number[] =>
  Array.from(numbers.subarray(0, count));

tap.test('one who leaves and comes with the same address keeps the number', (t) => {
  const first = [person('a'), person('b'), person('c')];
  const before = given(configured(), first);
  const second = [person('a'), person('B-2', 'B@EXAMPLE.com'), person('d')];
  t.same(counts(when(before, JSON.stringify(second))), [2, 0, 2], 'not without asking');
  const decision = decide(before, first, second);
  t.same(counts(decision), [1, 1, 1]);
  const entries = entriesOf(before, decision);
  t.match(
    entries,
    exactly([
      { kind: 'added', number: 4, values: { EmployeeID: 'd' } },
      { kind: 'changed', number: 2, idDigest: /^[0-9a-f]{32}$/, values: { EmployeeID: 'B-2' } },
      { kind: 'left', number: 3 },
    ]),
  );
  const state = after(before, decision);
  t.same(counts(when(state, JSON.stringify([...second].reverse()))), [0, 0, 0]);
  t.end();
});

tap.test('two who leave with the address, and one whose address is not known or was another', (t) => {
  const first = [person('a'), person('b')];
  const before = given(configured(), first);
  const known = emailsOf(before, first);
  const [one, other] = [known.get(1), known.get(2)];
  assert.ok(one && other);
  const second = JSON.stringify([person('x', 'a@example.com')]);
  const both = new Map([
    [1, one],
    [2, { ...other, email: one.email }],
  ]);
  t.same(counts(when(before, second, { knownEmails: both })), [1, 0, 2]);
  t.same(when(before, second, { knownEmails: new Map([[1, one]]) }), {
    kind: 'needs-emails',
    of: Uint32Array.of(1),
  });
  const old = new Map([...known, [2, { ...other, digest: one.digest }] as const]);
  t.same(when(before, second, { knownEmails: old }), { kind: 'needs-emails', of: Uint32Array.of(1) });
  t.same(
    counts(when(before, JSON.stringify([person('a')]), { knownEmails: new Map() })),
    [0, 0, 1],
    'nobody comes',
  );
  t.end();
});

tap.test('property: numbers stay with addresses, and the event gives the set of the decision', (t) => {
  const changes = fc.array(fc.constantFrom('stays', 'renamed', 'leaves'), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(arbitraryEmployees, changes, fc.boolean(), (first, what, hasNew) => {
      const before = given(configured(), first);
      const stays = first.flatMap((each, at) => {
        const change = what[at % what.length];
        if (change === 'leaves') return [];
        return [change === 'renamed' ? { ...each, EmployeeID: `renamed ${at}` } : each];
      });
      const second = hasNew ? [...stays, person('somebody new', 'somebody.new@example.com')] : stays;
      const decision = decide(before, first, second);
      const renamed = first.filter((_, at) => what[at % what.length] === 'renamed').length;
      const gone = first.filter((_, at) => what[at % what.length] === 'leaves').length;
      assert.deepEqual(counts(decision), [hasNew ? 1 : 0, renamed, gone]);
      entriesOf(before, decision);
    }),
    scaled(300, (text) => t.comment(text)),
  );
  t.end();
});

tap.test('property: who left and is restored is as before, at the old place', (t) => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 12 });
  fc.assert(
    fc.property(numbers, (gone) => {
      const entry = (number: number) => ({
        ...{ number, idDigest: Uint32Array.of(0, 0, 7, number), digest: Uint32Array.of(1, 2, 3, number) },
      });
      const whole = new EmployeeSetBuilder(emptySet(), digester);
      for (let number = 1; number <= 12; number++) whole.apply({ kind: 'added', ...entry(number) });
      const before = whole.finish();
      const leaving = new EmployeeSetBuilder(before, digester);
      for (const number of gone) leaving.apply({ kind: 'left', number });
      const without = leaving.finish();
      const returning = new EmployeeSetBuilder(without, digester);
      for (const number of gone) returning.apply({ kind: 'restored', ...entry(number) });
      const after = returning.finish();
      assert.equal(after.setDigest, before.setDigest);
      assert.deepEqual(numbersOf(after), numbersOf(before));
      assert.ok(hasSoundDigest(after, digester));
      const present = before.numbers.subarray(0, 12).find((number) => !gone.includes(number));
      const twice = new EmployeeSetBuilder(without, digester);
      if (present === undefined) return;
      twice.apply({ kind: 'restored', ...entry(present) });
      assert.throws(() => twice.finish(), SetMismatch);
    }),
    scaled(300, (text) => t.comment(text)),
  );
  const builder = new EmployeeSetBuilder(emptySet(), digester);
  const digest = Uint32Array.of(1, 2, 3, 4);
  t.throws(() => builder.apply({ kind: 'restored', number: 1, idDigest: digest, digest }), SetMismatch);
  t.end();
});
