import t from 'tap';
import { company, outcome, role, roles, settings, when } from './managers.testing.js';
import { readManagerImport, validate } from './read-import.js';

/** The refusal of a body. */
const refusal = (body: unknown, changes: Partial<typeof settings> = {}): unknown =>
  outcome(when(company(changes), body));
/** The refusal of one entry. */
const of = (more: object): unknown => refusal(roles(role('Cranes', 'Ada', more)));
const passes = (outcome: unknown): boolean => Array.isArray(outcome);

t.test('a body that is not what it should be', async (t) => {
  t.equal(refusal(''), 'The body is not valid JSON: no value at byte 0');
  t.match(
    refusal('{"ManagerRoles":[],"ManagerRoles":[]}'),
    /^The body is not valid JSON: a member name that/,
  );
  for (const body of ['[]', 'null', '1', '"x"'])
    t.equal(refusal(body), 'The body must be an object with ManagerRoles', body);
  t.equal(refusal({}), 'ManagerRoles is required');
  t.equal(refusal({ ManagerRoles: null }), 'ManagerRoles is required');
  t.equal(refusal({ ManagerRoles: {} }), 'ManagerRoles must be an array');
  t.equal(refusal({ managerroles: [] }), 'ManagerRoles is required', 'names are case-sensitive');
  t.equal(refusal({ ManagerRoles: [null] }), 'ManagerRoles[0] must be an object');
  t.equal(refusal({ ManagerRoles: [[]] }), 'ManagerRoles[0] must be an object');
});

t.test('required texts', async (t) => {
  for (const name of ['DimensionName', 'DepartmentName', 'FirstName', 'LastName', 'Email']) {
    t.equal(of({ [name]: undefined }), `ManagerRoles[0].${name} is required`);
    t.equal(of({ [name]: null }), `ManagerRoles[0].${name} is required`);
    t.equal(of({ [name]: 7 }), `ManagerRoles[0].${name} must be a string`);
    t.equal(of({ [name]: ' \u3000\t' }), `ManagerRoles[0].${name} must not be blank`);
  }
  for (const name of ['DepartmentName', 'FirstName', 'LastName']) {
    t.equal(of({ [name]: 'x'.repeat(151) }), `ManagerRoles[0].${name} must be at most 150 characters`);
    t.ok(passes(of({ [name]: '😀'.repeat(150) })), 'code points are counted');
  }
});

t.test('Email', async (t) => {
  const problem = 'ManagerRoles[0].Email must be a valid e-mail address of at most 254 characters';
  for (const email of [
    'ada',
    'ada@example',
    '@example.com',
    'a b@example.com',
    `${'a'.repeat(243)}@example.com`,
  ])
    t.equal(of({ Email: email }), problem);
  t.ok(passes(of({ Email: 'Åsa@exämple.com' })));
});

t.test('DimensionName must be configured; the problem tells what is, and not what was sent', async (t) => {
  t.equal(
    of({ DimensionName: 'Secret' }),
    "ManagerRoles[0].DimensionName must be one of the company's dimensions: Department, Division, Region, Project",
  );
  t.ok(passes(of({ DimensionName: 'rEGION' })));
  const none = { departmentDimensions: [], divisionDimensions: [], projectDimensions: [] };
  t.equal(
    refusal(roles(role('Cranes', 'Ada')), none),
    'ManagerRoles[0].DimensionName must be a department, division or project dimension of the company, which has none configured',
  );
  const many = { departmentDimensions: Array.from({ length: 30 }, (_, at) => `D${at}`) };
  t.match(refusal(roles(role('Cranes', 'Ada')), many), / D0, .* D19 and 13 more$/);
  const twenty = { departmentDimensions: many.departmentDimensions.slice(0, 17) };
  t.match(refusal(roles(role('Cranes', 'Ada')), twenty), / D0, .* D16, Division, Region, Project$/);
});

t.test('PrimaryContact', async (t) => {
  for (const value of [1, 'true', {}, []])
    t.equal(of({ PrimaryContact: value }), 'ManagerRoles[0].PrimaryContact must be true or false');
  for (const value of [true, false, null, undefined]) t.ok(passes(of({ PrimaryContact: value })));
});

t.test('DepartmentId, Guid, UserId and RoleType pass with any value, unknown members too', async (t) => {
  for (const value of [null, -1.5, 'x', '', false, [1, [2]], { a: { b: null } }])
    t.ok(passes(of({ DepartmentId: value, Guid: value, UserId: value, RoleType: value, Other: value })));
});

t.test('all problems at once, in the order of places, at most 20', async (t) => {
  t.equal(
    refusal({
      ManagerRoles: [role('', 'Ada', { Email: 'x' }), role('Cranes', 'Bo'), 7],
      DepartmentHierarchy: { A: 1 },
    }),
    'ManagerRoles[0].DepartmentName must not be blank; ' +
      'ManagerRoles[0].Email must be a valid e-mail address of at most 254 characters; ' +
      'ManagerRoles[2] must be an object; DepartmentHierarchy.A must be a string or null',
  );
  const problems = (count: number): string[] =>
    String(refusal({ ManagerRoles: Array.from({ length: count }, () => 1) })).split('; ');
  t.equal(problems(20).length, 20);
  t.strictSame(problems(21).slice(20), ['and 1 more']);
  t.strictSame(problems(23).slice(19), ['ManagerRoles[19] must be an object', 'and 3 more']);
});

t.test('no value is ever repeated', async (t) => {
  const body = roles({
    DimensionName: 'sekret',
    DepartmentName: 'sekret'.repeat(40),
    FirstName: 'sekret'.repeat(40),
    LastName: ['sekret'],
    Email: 'sekret@',
    PrimaryContact: 'sekret',
  });
  t.match(refusal(body), /^(?!.*sekret)/s);
});

t.test('how many entries there are is known before they are checked', async (t) => {
  const elements = (body: unknown): unknown => {
    const reading = readManagerImport(Buffer.from(JSON.stringify(body)));
    return reading.status === 'valid' ? reading.elements : reading.problems;
  };
  t.equal(elements({ ManagerRoles: [1, 2, 3] }), 3);
  t.equal(elements({}), 0);
});

t.test('60,000 entries, and a hierarchy as deep', async (t) => {
  const entries = Array.from({ length: 60_000 }, (_, at) => role(`D${at % 5_000}`, `N${at}`));
  const hierarchy = Object.fromEntries(entries.map((_, at) => [`V${at}`, `V${at + 1}`]));
  const state = company();
  const body = JSON.stringify({ ManagerRoles: entries, DepartmentHierarchy: hierarchy });
  const lines = outcome(when(state, body));
  t.equal(lines.at(-1), '60000 created, 0 disabled, 0 locked');
  const reading = readManagerImport(Buffer.from(JSON.stringify({ ManagerRoles: entries.map(() => ({})) })));
  if (reading.status !== 'valid') throw new Error('not read');
  t.match(validate(reading.import, settings), { status: 'invalid', problems: { length: 21 } });
});
