import assert from 'node:assert/strict';
import fc from 'fast-check';
import tap from 'tap';
import { initialCompanyState } from '../imports/company-state.js';
import { decodeCompanyState, encodeCompanyState } from '../imports/snapshot.js';
import type { EmployeeSetDecision, EmployeeSetState } from './decide.js';
import {
  diffEmployees,
  SetEventParser,
  type FullElement,
  readFullElement,
  readSetElement,
  emptySet,
  EmployeeSetBuilder,
  hasSoundDigest,
  SetMismatch,
} from '@rollcall/employee-lists/set';
import {
  checkEmployeeList,
  arbitraryElement,
  arbitraryEmployees,
  digester,
  type Sent,
  scaled,
  readEmployeeList,
} from '@rollcall/employee-lists/testing';
import { isComplete, readEmployee, canonicalBytes } from '@rollcall/employee-lists';
import { after, configured, counts, given, when } from './employees.testing.js';

const { numRuns, seed } = scaled(1_000, (text) => tap.comment(text));
const runs = Math.max(20, numRuns);
fc.configureGlobal({ seed });

function eventOf(decision: EmployeeSetDecision): Buffer {
  if (decision.kind !== 'replaced') throw new Error(`the decision is ${decision.kind}`);
  return Buffer.concat(Array.from(decision.source.chunks(), (chunk) => Buffer.from(chunk)));
}

tap.test(
  'property: applying the change to the first set gives the second; doing it again changes nothing',
  (t) => {
    fc.assert(
      fc.property(arbitraryEmployees, arbitraryEmployees, (first, second) => {
        const before = given(configured(), first);
        const decision = when(before, JSON.stringify(second));
        const ids = new Map(
          first.map((each) => [each.EmployeeID, JSON.stringify(readEmployee(each).values)]),
        );
        const next = new Map(
          second.map((each) => [each.EmployeeID, JSON.stringify(readEmployee(each).values)]),
        );
        const expected = [
          [...next.keys()].filter((id) => !ids.has(id)).length,
          second.filter(({ EmployeeID }) => ids.has(EmployeeID) && differs(first, second, EmployeeID)).length,
          [...ids.keys()].filter((id) => !next.has(id)).length,
        ];
        assert.deepEqual(counts(decision), expected);
        const result = after(before, decision);
        assert.equal(result.employees.count, second.length);
        assert.ok(hasSoundDigest(result.employees, digester));
        assert.deepEqual(
          counts(when(result, JSON.stringify([...second].reverse()))),
          [0, 0, 0],
          'again: nothing',
        );
        if (decision.kind === 'replaced') checkEvent(before, decision, second);
      }),
      { numRuns: runs },
    );
    t.end();
  },
);

/** Whether two bodies say different things of one employee, by comparing canonical forms made the slow way. */
function differs(first: readonly Sent[], second: readonly Sent[], id: string): boolean {
  const canonical = (body: readonly Sent[]): string => {
    const reading = readEmployee(body.find(({ EmployeeID }) => EmployeeID === id));
    if (!isComplete(reading)) throw new Error('not valid');
    return canonicalBytes(reading.values).toString('latin1');
  };
  return canonical(first) !== canonical(second);
}

function checkEvent(
  before: EmployeeSetState,
  decision: Extract<EmployeeSetDecision, { kind: 'replaced' }>,
  second: readonly Sent[],
): void {
  const bytes = eventOf(decision);
  const data = JSON.parse(bytes.toString()) as { added: { values: Sent }[]; changed: { values: Sent }[] };
  const builder = new EmployeeSetBuilder(before.employees, digester);
  const entries: FullElement[] = [];
  const cutter = new SetEventParser((kind, chunk, start, end) => {
    builder.apply(readSetElement(kind, chunk, start));
    entries.push(readFullElement(kind, chunk, start, end));
  });
  for (let at = 0; at < bytes.length; at += 61) cutter.push(bytes.subarray(at, at + 61));
  assert.deepEqual(cutter.finish(), decision.summary, 'cut in small chunks');
  assert.equal(
    builder.finish().setDigest,
    decision.after.setDigest,
    'folding the event gives the set of the decision',
  );
  assert.equal(
    entries.length,
    decision.summary.inserted + decision.summary.updated + decision.summary.removed,
  );
  for (const { values } of [...data.added, ...data.changed]) {
    assert.ok(second.some(({ EmployeeID }) => EmployeeID === values.EmployeeID));
  }
}

tap.test('an entry of somebody who is not present fits no set', (t) => {
  const digest = Uint32Array.of(1, 2, 3, 4);
  const setOf = (numbers: readonly number[]): EmployeeSetBuilder => {
    const builder = new EmployeeSetBuilder(emptySet(), digester);
    for (const number of numbers)
      builder.apply({ kind: 'added', number, idDigest: Uint32Array.of(0, 0, 0, number), digest });
    return builder;
  };
  for (const numbers of [[], [5], [2, 5, 9], [1, 2, 3, 4, 6, 7]])
    for (let number = 0; number < 12; number++) {
      const isThere = numbers.includes(number);
      const change = (): void => setOf(numbers).apply({ kind: 'changed', number, digest });
      const leaveTwice = (): void => {
        const builder = setOf(numbers);
        for (let times = 0; times < 2; times++) builder.apply({ kind: 'left', number });
      };
      if (isThere) t.doesNotThrow(change);
      else t.throws(change, SetMismatch);
      t.throws(leaveTwice, SetMismatch, `${number} of ${numbers.join()}`);
    }
  t.end();
});

const contact = (at: number): string =>
  `"Firstname":"A","Lastname":"B","Email":"x${at}@example.com","EmploymentStatus":0`;

tap.test('property: a check finds what a reading finds, however much of it is digested', (t) => {
  const elements = fc.array(fc.oneof(arbitraryElement, fc.constantFrom({}, [], 'x')), { maxLength: 6 });
  const bodies = fc.oneof(
    { weight: 2, arbitrary: arbitraryEmployees.map((list) => JSON.stringify(list)) },
    { weight: 2, arbitrary: elements.map((list) => JSON.stringify(list)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(arbitraryEmployees, fc.subarray(['a', 'A', '\\u0061', 'a\\u0000', 'b']), fc.boolean())
        .map(([list, ids, repeats]) => {
          const named = ids.map((id, at) => `{"EmployeeID":"${id}",${contact(at)}}`);
          const sent = [...list, ...(repeats ? list.slice(0, 2) : [])].map((each) => JSON.stringify(each));
          return `[${[...named, ...sent].join(',')}]`;
        }),
    },
    { weight: 1, arbitrary: fc.string() },
  );
  fc.assert(
    fc.property(bodies, fc.integer({ min: 0, max: 30 }), (text, digestBelow) => {
      const body = Buffer.from(text);
      const reading = readEmployeeList(body, digester);
      const check = checkEmployeeList(body, digester, digestBelow);
      if (reading.status === 'invalid') return assert.deepEqual(check, reading);
      const { list, ignored } = reading;
      const { count } = list;
      if (count >= digestBelow) return assert.deepEqual(check, { status: 'checked', count, ignored });
      assert.ok(check.status === 'valid');
      assert.deepEqual(check.ignored, ignored);
      const state = given(configured(), []);
      assert.deepEqual(
        diffEmployees(check.list, state.employees),
        diffEmployees(reading.list, state.employees),
      );
      assert.deepEqual(
        check.list.digests.subarray(0, count * 4),
        reading.list.digests.subarray(0, count * 4),
      );
    }),
    { numRuns: runs },
  );
  t.end();
});

tap.test('property: a snapshot gives the state back', (t) => {
  fc.assert(
    fc.property(arbitraryEmployees, arbitraryEmployees, (first, second) => {
      const state = given(configured(), first, second);
      const whole = { ...initialCompanyState(), ...state };
      const copy = decodeCompanyState(encodeCompanyState(whole));
      if (!copy) throw new Error('no snapshot');
      assert.deepEqual(copy.settings, state.settings);
      assert.deepEqual(copy.lastBody, state.lastBody);
      assert.ok(hasSoundDigest(copy.employees, digester));
      assert.deepEqual(counts(when(copy, JSON.stringify([...second].reverse()))), [0, 0, 0]);
      const torn = encodeCompanyState(whole);
      assert.equal(decodeCompanyState(torn.subarray(0, torn.length - 1)), undefined, 'a torn one is none');
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
  t.end();
});
