import {
  EmployeeBody,
  type EmployeeField,
  employeeField,
  employeeFieldNames,
  type EmployeeFieldName,
  EmployeeRow,
  EmployeeValues,
} from '@rollcall/contracts';
import { digester, readInChunks, checkEmployeeList } from './lists.testing.js';
import { readEmployee } from './read-employee.js';
import { dice } from './respelled.testing.js';

import tap, { type Test } from 'tap';

const whole: Readonly<Record<EmployeeFieldName, unknown>> = {
  EmployeeID: 'A-1',
  Firstname: 'Ada',
  Lastname: 'Example',
  Phonenumber: '+4512345678',
  Email: 'ada@example.com',
  Gender: 0,
  EmploymentStatus: 0,
  Birthday: '1990-05-17',
  JobTitle: 'Engineer',
  Department: 'D',
  Role: 'R',
  ImmediateManager: 'M',
  Dimensions: { Site: 'Nord' },
  InvitationDate: '2026-11-20T08:00:00Z',
};

/** A schema as the reference tells it. */
interface Told {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
const told = (schema: object): Told => JSON.parse(JSON.stringify(schema)) as Told;
const reference = told(EmployeeBody);

/** What is wrong with an element; the module says the same as the rules, and settles alone what is right. */
function problemsOf(t: Test, element: object): readonly string[] {
  const { problems } = readEmployee(element);
  const { check, unsettled } = readInChunks(Buffer.from(JSON.stringify([element])), dice(1));
  t.equal(check.status, problems.length === 0 ? 'valid' : 'invalid');
  t.equal(unsettled.length, problems.length === 0 ? 0 : 1);
  return problems;
}

const required = (name: EmployeeFieldName): boolean => employeeField(name).required;

tap.test('names, their order and what is required are the same for all', (t) => {
  t.same(Object.keys(reference.properties).toSorted(), employeeFieldNames.toSorted());
  t.same(Object.keys(told(EmployeeValues).properties), employeeFieldNames, 'stored in this order');
  for (const schema of [EmployeeBody, EmployeeValues])
    t.same(told(schema).required.toSorted(), employeeFieldNames.filter(required).toSorted());
  t.same(
    employeeFieldNames.filter((name) => !(name in told(EmployeeRow).properties)),
    [],
    'and all are answered',
  );
  t.same(problemsOf(t, whole), []);
  const read = checkEmployeeList(Buffer.from(JSON.stringify([whole])), digester, 2);
  t.strictSame(read.status === 'valid' && read.ignored, {});
  for (const name of employeeFieldNames) {
    const rest = Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name));
    t.same(problemsOf(t, rest), required(name) ? [`${name} is required`] : [], name);
  }
  t.end();
});

tap.test('a text has the same limit for the reference, the rules and the module', (t) => {
  const limited = employeeFieldNames
    .map((name): [EmployeeFieldName, EmployeeField] => [name, employeeField(name)])
    .filter(([, { kind }]) => kind === 'text');
  t.equal(limited.length, 7);
  for (const [name, { maxLength = 0 }] of limited) {
    t.equal(reference.properties[name]?.['maxLength'], maxLength, name);
    t.same(problemsOf(t, { ...whole, [name]: 'æ'.repeat(maxLength) }), []);
    t.same(problemsOf(t, { ...whole, [name]: 'æ'.repeat(maxLength + 1) }), [
      `${name} must be at most ${maxLength} characters`,
    ]);
  }
  t.end();
});

tap.test('a code is known to the rules and the module, or to neither', (t) => {
  for (const name of ['Gender', 'EmploymentStatus'] as const)
    for (let code = 0; code <= 9; code++) {
      const isKnown = Object.values(employeeField(name).codes ?? {}).includes(code);
      t.equal(problemsOf(t, { ...whole, [name]: code }).length === 0, isKnown, `${name} ${code}`);
    }
  t.end();
});

tap.test('what is mirrored may come back among the Dimensions, equal', (t) => {
  for (const name of employeeFieldNames.filter((each) => employeeField(each).kind === 'text')) {
    const problems = problemsOf(t, { ...whole, Dimensions: { [name]: 'another' } });
    const { isMirrored = false } = employeeField(name);
    t.same(problems, isMirrored ? [`Dimensions.${name} must equal ${name}, or be left out`] : [], name);
  }
  t.end();
});
