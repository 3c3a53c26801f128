import tap from 'tap';
import { configured, given } from './employees.testing.js';
import { digester } from '@rollcall/employee-lists/testing';
import { isPresent, numberWithId, valuesInForce } from './decide.js';

const astrid = {
  EmployeeID: 'Å-1',
  Firstname: 'Astrid',
  Lastname: 'Holm',
  Email: 'astrid@example.com',
  EmploymentStatus: 0,
  Department: 'Sales',
  Birthday: '1990-01-02T00:00:00.000Z',
  Dimensions: { Location: 'Aarhus' },
};
const bo = { ...astrid, EmployeeID: 'B-2', Email: 'bo@example.com' };
const set = given(configured(), [astrid, bo]).employees;
const asRead = (more: object = {}) => ({
  ...astrid,
  Id: 1,
  Fullname: 'Astrid Holm',
  Dimensions: { Location: 'Aarhus', Department: 'Sales' },
  InvitationDate: '2026-12-01T08:00:00Z',
  FirstInvitationDate: null,
  ...more,
});
const read = (number: number, document: unknown) => valuesInForce(set, digester, number, document);

tap.test('the values that the set knows', async (t) => {
  t.match(read(1, asRead()), {
    EmployeeID: 'Å-1',
    Email: 'astrid@example.com',
    Dimensions: { Location: 'Aarhus' },
  });
  t.equal(read(1, asRead({ Email: 'old@example.com' })), undefined, 'other values');
  t.equal(read(2, asRead()), undefined, 'the number of somebody else');
  t.equal(read(1, asRead({ EmployeeID: 'C-3' })), undefined, 'somebody who is not present');
  t.equal(read(1, { EmployeeID: 'Å-1' }), undefined);
  t.equal(read(1, undefined), undefined);
});

tap.test('who is present', async (t) => {
  t.ok(isPresent(set, 1));
  t.ok(isPresent(set, 2));
  t.notOk(isPresent(set, 3));
  t.notOk(isPresent(given(configured(), [astrid, bo], [bo]).employees, 1));
});

tap.test('the number that an id has', async (t) => {
  const numbers = (of: typeof set) => ['Å-1', 'B-2', 'C-3'].map((id) => numberWithId(of, digester, id));
  t.same(numbers(set), [1, 2, undefined]);
  t.same(numbers(given(configured(), [astrid, bo], [bo]).employees), [undefined, 2, undefined]);
});
