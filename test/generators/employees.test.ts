import { createHash } from 'node:crypto';
import tap from 'tap';
import { employeesBody, generatedEmployee, generatedEmployees, type GeneratedEmployee } from './employees.js';

const codePoints = (text: string): number => Array.from(text).length;
type TextMember = Exclude<keyof GeneratedEmployee, 'Dimensions' | 'Gender' | 'EmploymentStatus'>;
const longest = (employees: readonly GeneratedEmployee[], member: TextMember): number =>
  Math.max(...employees.map((employee) => codePoints(employee[member] ?? '')));

tap.test('generated employees', async (t) => {
  const employees = generatedEmployees(5000);

  t.test('are the same on every run', async (t) => {
    t.strictSame(generatedEmployees(300), employees.slice(0, 300));
    t.notSame(generatedEmployee(3, { seed: 2 }), employees[3]);
  });

  t.test('differ in what must be unique', async (t) => {
    for (const member of ['EmployeeID', 'Phonenumber'] as const) {
      const values = employees.map((employee) => employee[member]).filter((value) => value != null);
      t.equal(new Set(values).size, values.length, member);
    }
    t.equal(new Set(employees.map(({ Email }) => Email.toLowerCase())).size, employees.length);
  });

  t.test('reach every limit and pass none', async (t) => {
    const limits = { EmployeeID: 50, Firstname: 150, Lastname: 150, Email: 254, Phonenumber: 21 } as const;
    const shorter = { JobTitle: 50, Department: 50, Role: 50, ImmediateManager: 50 } as const;
    for (const [member, limit] of Object.entries({ ...limits, ...shorter }))
      t.equal(longest(employees, member as TextMember), limit, member);
    const phones = employees.flatMap(({ Phonenumber }) => Phonenumber ?? []);
    t.ok(phones.every((phone) => /^\+[0-9]{6,20}$/.test(phone)));
    t.ok(phones.some((phone) => phone.length === 7));
  });

  t.test('leave optional members out, by null and by absence', async (t) => {
    for (const member of ['JobTitle', 'Gender', 'Dimensions', 'Birthday'] as const) {
      t.ok(
        employees.some((employee) => employee[member] === null),
        `${member} null`,
      );
      t.ok(
        employees.some((employee) => !(member in employee)),
        `${member} absent`,
      );
    }
  });

  t.test('weigh about 340 bytes each', async (t) => {
    const bytes = employeesBody(20_000).length / 20_000;
    t.ok(bytes > 320 && bytes < 360, String(bytes));
  });
});

tap.test('bodies', async (t) => {
  const parsed = (body: Buffer): GeneratedEmployee[] => JSON.parse(body.toString()) as GeneratedEmployee[];
  const byId = (employees: GeneratedEmployee[]): GeneratedEmployee[] =>
    employees.toSorted((a, b) => (a.EmployeeID < b.EmployeeID ? -1 : 1));
  const plain = employeesBody(1000);

  t.test('hold the generated employees', async (t) => {
    t.strictSame(parsed(plain), generatedEmployees(1000));
    t.strictSame(parsed(employeesBody(0)), []);
    t.strictSame(parsed(employeesBody(0, { shuffled: true })), []);
  });

  t.test('shuffled: the same set in other bytes', async (t) => {
    const shuffled = employeesBody(1000, { shuffled: true });
    t.not(
      createHash('sha256').update(shuffled).digest('hex'),
      createHash('sha256').update(plain).digest('hex'),
    );
    t.notSame(
      parsed(shuffled).map(({ EmployeeID }) => EmployeeID),
      parsed(plain).map(({ EmployeeID }) => EmployeeID),
    );
    t.strictSame(byId(parsed(shuffled)), byId(parsed(plain)));
  });

  t.test('in the spelling of a client: the same list in other bytes', async (t) => {
    for (const spelling of ['.NET', 'Python', 'pretty'] as const) {
      const body = employeesBody(1000, { spelling });
      t.strictSame(parsed(body), generatedEmployees(1000), spelling);
      t.notOk(body.equals(plain), spelling);
      t.equal(/[^\p{ASCII}]/u.test(body.toString()), spelling === 'pretty', `${spelling}: non-ASCII`);
    }
    t.match(employeesBody(1000, { spelling: '.NET' }).toString(), /"Phonenumber":"\\u002B45\d+".*\\u00D8/s);
    t.match(employeesBody(1000, { spelling: 'Python' }).toString(), /, {"EmployeeID": "E-\d+", .*\\u00f8/s);
    t.match(employeesBody(1000, { spelling: 'pretty' }).toString(), /\n {2}},\n {2}{\n {4}"EmployeeID": /);
  });

  t.test('addresses: ordinary ones, or in the script of the name', async (t) => {
    const wide = (employees: GeneratedEmployee[]): number =>
      employees.filter(({ Email }) => /[^\p{ASCII}]/u.test(Email)).length;
    t.ok(wide(parsed(plain)) > 0 && wide(parsed(plain)) <= 20, String(wide(parsed(plain))));
    t.ok(wide(parsed(employeesBody(1000, { wideAddresses: true }))) > 500);
  });

  t.test('changed: every hundredth differs', async (t) => {
    const before = parsed(plain);
    const differing = parsed(employeesBody(1000, { onePercentChanged: true })).filter(
      (employee, index) => JSON.stringify(employee) !== JSON.stringify(before[index]),
    );
    t.equal(differing.length, 10);
  });
});
