import tap from 'tap';
import { configured, counts, when } from './employees.testing.js';
import { digester, readInChunks, dice, checkEmployeeList } from '@rollcall/employee-lists/testing';
import { readFullElement } from '@rollcall/employee-lists/set';

const ada = {
  EmployeeID: 'A-1',
  Firstname: 'Ada',
  Lastname: 'Holm',
  Email: 'ada@example.com',
  EmploymentStatus: 0,
};
const named = (count: number, extra: object = {}): object => ({
  ...ada,
  Department: 'Research',
  Dimensions: {
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, 'x'])),
    ...extra,
  },
});
const outcome = (...employees: readonly object[]): unknown =>
  counts(when(configured(), JSON.stringify(employees)));

tap.test('Dimensions are at most 100, with names of 1 to 150 characters', (t) => {
  const at = "[0] EmployeeID 'A-1': Dimensions";
  for (const name of ['x'.repeat(150), 'å'.repeat(150), '😀'.repeat(150), '.'])
    t.same(outcome({ ...ada, Dimensions: { [name]: 'v' } }), [1, 0, 0], name);
  t.same(outcome(named(100, { Department: 'Research', Role: null, none: null })), [1, 0, 0]);
  t.same(outcome(named(101)), [`${at} must have at most 100 names`]);
  for (const letter of ['x', 'å', '😀']) {
    const problem = `${at}.${letter.repeat(40)}…: the name must be at most 150 characters`;
    t.same(outcome({ ...ada, Dimensions: { [letter.repeat(151)]: 'v' } }), [problem]);
    t.same(outcome({ ...ada, Dimensions: { [letter.repeat(2_000)]: 1 } }), [problem]);
    const value = `${at}.${letter.repeat(40)}… must be a string`;
    t.same(outcome({ ...ada, Dimensions: { [letter.repeat(41)]: 1 } }), [value]);
  }
  for (const blank of ['', ' ', '\u3000\t', ' '.repeat(500)])
    t.same(outcome({ ...ada, Dimensions: { [blank]: 'v' } }), [`${at} must have names that are not blank`]);
  t.end();
});

tap.test('an employee takes at most 1 MiB', (t) => {
  const large = { ...ada, Valid: 'x'.repeat(1024 * 1024 - JSON.stringify(ada).length - 11) };
  t.equal(JSON.stringify(large).length, 1024 * 1024);
  t.same(outcome(large), [1, 0, 0]);
  // What is larger is not read at all: not even its wrong fields are told.
  t.same(outcome({ ...large, Gender: 5 }), ['[0]: must be at most 1048576 bytes']);
  t.end();
});

tap.test('an event with names longer than a call may bring is read', (t) => {
  const values = { ...ada, Dimensions: { ['x'.repeat(3_000)]: 'v', ' ': 'v' } };
  const entry = { number: 1, idDigest: '0'.repeat(32), digest: '0'.repeat(32), invitationDue: null, values };
  const bytes = Buffer.from(JSON.stringify(entry));
  t.match(readFullElement('added', bytes, 0, bytes.length), { kind: 'added', values });
  t.end();
});

tap.test('ignored fields are shown in part', (t) => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`other ${index}`, 1]));
  const long = { [`${'x'.repeat(50)}a`]: 1, [`${'x'.repeat(50)}b`]: 1 };
  const body = Buffer.from(JSON.stringify([{ ...ada, ...long, ...many }]));
  const check = checkEmployeeList(body, digester, Number.POSITIVE_INFINITY);
  if (check.status !== 'valid') throw new Error(check.status);
  const shown = check.ignored ?? {};
  t.equal(Object.keys(shown).length, 101);
  t.match(shown, { [`${'x'.repeat(40)}…`]: 2, 'other 0': 1, 'other 98': 1, '...': 51 });
  t.end();
});

tap.test('ignored fields of an element that the module leaves to the rules in full', (t) => {
  const dimensions = Array.from({ length: 100 }, (_, index) => [
    `${'n'.repeat(145)}${index}`,
    'v'.repeat(50),
  ]);
  const long = { Title: 1, ...ada, Dimensions: Object.fromEntries(dimensions) as object, Valid: 1 };
  const { check, unsettled } = readInChunks(Buffer.from(JSON.stringify([long])), dice(1));
  t.same(unsettled, ['long']);
  t.match(check, { status: 'valid', ignored: { Title: 1, Valid: 1 } });
  t.end();
});
