import { projections } from '@rollcall/projector';
import t from 'tap';
import { append, employee, employeeSet, openRig, projectAll } from './projector.support.js';

/** An event of before there were limits. */
function withDimensions(dimensions: Readonly<Record<string, string>>): ReturnType<typeof employeeSet> {
  const event = employeeSet({ added: [{ number: 1, id: 'a' }], total: 1, lastNumber: 1 });
  const text = JSON.stringify(event).replace(
    '"values":{',
    `"values":{"Dimensions":${JSON.stringify(dimensions)},`,
  );
  return JSON.parse(text) as ReturnType<typeof employeeSet>;
}

const mebibyte = 1024 * 1024;
const cut = (character: string, length: number): string => `${character.repeat(length - 1)}…`;

t.test('no row is larger than 1 MiB, whatever was recorded, and its stream goes on', async (t) => {
  const on = await openRig(t);
  const long = {
    ['å'.repeat(mebibyte)]: 'one',
    [`${'å'.repeat(mebibyte)}2`]: 'two',
    Short: 'x'.repeat(mebibyte),
    Whole: 'y'.repeat(50),
  };
  await append(on, 'company-7', withDimensions(long));
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`Dimension ${n}`, 'value']));
  await append(on, 'company-8', withDimensions(many), { companyId: 8 });
  await projectAll({ ...on, projections });
  t.same(await on.readModels.parkedStreams(), []);
  const one = (await employee(on.readModels, 7, 1)) as { readonly Dimensions: object };
  t.match(one.Dimensions, {
    [cut('å', 150)]: 'one',
    [`${cut('å', 150)}1`]: 'two',
    Short: cut('x', 50),
    Whole: 'y'.repeat(50),
  });
  const other = (await employee(on.readModels, 8, 1)) as { readonly Dimensions: object };
  t.match(other.Dimensions, { 'Dimension 0': 'value', 'Dimension 99': 'value', '… and 19900 more': '' });
  t.equal(Object.keys(other.Dimensions).length, 101);
  for (const row of [one, other]) t.ok(JSON.stringify(row).length < mebibyte);
});

t.test('what the limits allow is shown whole', async (t) => {
  const on = await openRig(t);
  const dimensions = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`${n}`.padEnd(150, '\u0001'), '\u0001'.repeat(50)]),
  );
  await append(on, 'company-7', withDimensions(dimensions));
  await projectAll({ ...on, projections });
  const row = (await employee(on.readModels, 7, 1)) as { readonly Dimensions: object };
  t.match(row.Dimensions, dimensions);
});
