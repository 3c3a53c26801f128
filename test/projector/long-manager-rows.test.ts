import { projections } from '@rollcall/projector';
import t from 'tap';
import { importManagers, managerSettings } from '../support/manager-imports.js';
import { append, contents, context, openRig, projectAll, refused } from './projector.support.js';

/** A tenth of what an import may name: a row that held them all would be found. */
const divisions = 10_000;

/** As many bytes of a row as a name within the limits can come to: six for a character. */
const longest = (name: string): string => name.padEnd(150, '\u0001');

const role = (n: number): object => ({
  DimensionName: 'd'.repeat(50),
  DepartmentName: longest(`Department ${n}`),
  FirstName: longest('Ada'),
  LastName: longest('Example'),
  Email: `${n}-${'𝕏'.repeat(238)}@example.com`,
});

/** Each division below the one before it, those at the ends with the longest names. */
function hierarchy(): Readonly<Record<string, string | null>> {
  const name = (n: number): string => (n < 10 || n >= divisions - 10 ? longest(`D${n}`) : `D${n}`);
  return Object.fromEntries(
    Array.from({ length: divisions }, (_, n) => [name(n), n === 0 ? null : name(n - 1)]),
  );
}

t.test(
  'a row holds one user, one department or one role, however large the import and its names',
  async (t) => {
    const on = await openRig(t);
    const settings = { ...managerSettings(7), departmentDimensions: ['d'.repeat(50)] };
    const ManagerRoles = Array.from({ length: 50 }, (_, n) => role(n));
    const body = { ManagerRoles, DepartmentHierarchy: hierarchy() };
    const summary = await importManagers(on, context(), body, settings);
    t.equal(summary.lastDepartment, divisions + 50);
    await projectAll({ ...on, projections });
    t.same(await on.readModels.parkedStreams(), []);
    const rows = await contents(on.readModels);
    t.ok(rows.length > divisions + 150);
    t.ok(Math.max(...rows.map((row) => Buffer.byteLength(row))) < 4_096);
  },
);

t.test('the row of a call is small, however much was recorded of a refusal', async (t) => {
  const on = await openRig(t);
  const problems = Array.from({ length: 20_000 }, (_, n) => `ManagerRoles[${n}] ${'å'.repeat(100)}`);
  await append(on, 'operation-1', refused([...problems, 'å'.repeat(2_000_000)]));
  await projectAll({ ...on, projections });
  t.same(await on.readModels.parkedStreams(), []);
  const [row = '', ...more] = await contents(on.readModels);
  t.same(more, []);
  t.match(row, '... and 19981 more');
  t.ok(Buffer.byteLength(row) < 16_384);
});
