import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRows } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { people } from '../application/imports.support.js';
import { installation, type Installation } from './imports.support.js';
import { objectOf, rollcallWithin, type Ran } from './rollcall.js';

const head = 'EmployeeID;First name;Lastname;Email;EmploymentStatus;Department';
const row = (id: string, department = 'Sales') =>
  `${id};Ada;Holm;${id.toLowerCase()}@example.com;0;${department}`;

interface Rig extends Installation {
  readonly questions: string[];
  /** Runs `rollcall import KIND` on a file with this text; `reply` is asked. */
  importFile(text: string, words?: string, reply?: () => string | Promise<string>): Promise<Ran>;
  ids(): Promise<unknown[]>;
}

async function rig(t: Test, kind = 'employees'): Promise<Rig> {
  const on = await installation(t);
  const questions: string[] = [];
  const file = join(on.dataDir, 'list.csv');
  return {
    ...on,
    questions,
    importFile: async (text, words = '', reply) => {
      writeFileSync(file, text);
      const ask = async (question: string): Promise<string> => {
        questions.push(question);
        return (await reply?.()) ?? '';
      };
      const sleep = (): Promise<void> => on.run();
      const run = rollcallWithin(on.dataDir, {}, { sleep, ...(reply === undefined ? {} : { ask }) });
      const ran = await run(['import', kind, file, '--company', '7', ...words.split(' ').filter(Boolean)]);
      await on.project();
      return ran;
    },
    ids: async () => {
      const rows = await readRows(on.adapters.readModels, 7, [1, 2, 3, 4]);
      return rows.flatMap((json) =>
        (json ? [JSON.parse(Buffer.from(json).toString()) as { EmployeeID: string }] : []).map(
          ({ EmployeeID }) => EmployeeID,
        ),
      );
    },
  };
}

tap.test('a file is shown, agreed to, and applied', async (t) => {
  const on = await rig(t);
  const no = await on.importFile([head, row('A-1'), row('A-2')].join('\n'), '', () => 'no');
  t.match(no, { code: 1, err: 'Nothing was changed.\n' });
  t.match(no.out, /inserted +2 +A-1, A-2\n/);
  t.same(on.questions, ['Type "yes" to insert 2, update 0 and remove 0 employees of company 7: ']);
  t.same(await on.ids(), []);

  const yes = await on.importFile([head, row('A-1'), row('A-2')].join('\n'), '', () => 'yes');
  t.match(yes, { code: 0, err: '', out: /Done: import [0-9a-f-]{36}\.\n$/ });
  t.same(await on.ids(), ['A-1', 'A-2']);

  const same = await on.importFile([head, row('A-1'), row('A-2')].join('\n'), '--yes');
  t.match(same, { code: 0, out: /Nothing was changed/ });
  const unchanged = objectOf(await on.importFile([head, row('A-1'), row('A-2')].join('\n'), '--yes --json'));
  t.same(unchanged, { companyId: 7, operationId: null, changed: false }, 'the result, and no preview');
  const json = await on.importFile([head, row('A-2', 'HR'), row('A-3')].join('\n'), '--json');
  t.match(objectOf(json), { Inserted: 1, Updated: 1, Removed: 1, PreviewId: String }, 'the preview alone');
  t.same(await on.ids(), ['A-1', 'A-2']);
  t.match(objectOf(await on.importFile([head, row('A-2', 'HR'), row('A-3')].join('\n'), '--json --yes')), {
    companyId: 7,
    operationId: String,
    changed: true,
  });
  t.same(await on.ids(), ['A-2', 'A-3']);
});

tap.test('nobody can be asked: nothing is done without --yes', async (t) => {
  const on = await rig(t);
  t.match(await on.importFile(`${head}\n${row('A-1')}`), { code: 1, err: /use --yes to insert 1/ });
  t.same(await on.ids(), []);
});

tap.test('a set that changes between preview and answer is not replaced', async (t) => {
  const on = await rig(t);
  const ran = await on.importFile(`${head}\n${row('A-1')}`, '', async () => {
    await on.queue(people(8, 9));
    await on.run();
    return 'yes';
  });
  t.match(ran, { code: 1, err: /changed meanwhile/ });
  t.equal((await on.ids()).length, 2);
});

tap.test('a large list is queued and followed to its end', async (t) => {
  const on = await rig(t);
  await on.rollcall('company configure --company 7 --queue-threshold 2');
  const ran = await on.importFile([head, row('A-1'), row('A-2')].join('\n'), '--yes');
  t.match(ran, { code: 0, out: /200 OK, 2 inserted/, err: /^Import [0-9a-f-]{36} is queued\.\n/ });
  t.same(await on.ids(), ['A-1', 'A-2']);
});

tap.test('what is wrong is named by line and column, without values', async (t) => {
  const on = await rig(t);
  t.match(await on.importFile(`EmployeeID;Fistname\n${row('A-1')}`), {
    code: 1,
    err: /line 2: .*number of cells/,
  });
  t.match(await on.importFile('EmployeeID;Fistname\nA-1;Ada'), {
    code: 1,
    err: /line 1: column "Fistname" is no field[^]*line 1: a column for Firstname is missing/,
  });
  const bad = [head, row('A-1'), 'A-2;Ada;Holm;secret;0;Sales', row('A-1')].join('\n');
  const { code, err } = await on.importFile(bad, '--yes');
  t.equal(code, 1);
  t.match(err, /line 3: Email must be a valid e-mail address/);
  t.match(err, /line 4: EmployeeID is the same as that of line 2/);
  t.notMatch(err, 'secret');
  t.same(await on.ids(), []);
});

tap.test('nobody is asked for a yes to a list that is refused; one that will be held says so', async (t) => {
  const on = await rig(t);
  const four = ['A-1', 'A-2', 'A-3', 'A-4'].map((id) => row(id));
  await on.importFile([head, ...four].join('\n'), '--yes');
  await on.rollcall('company configure --company 7 --batch-limit 25 --batch-limit-from 0');
  const one = [head, row('A-1')].join('\n');
  t.match(await on.importFile(one, '', () => 'yes'), {
    code: 1,
    out: /more than the batch limit of 25 %: it is refused\.\n$/,
    err: /nothing was changed:\n {2}The batch limit was exceeded.*--batch-limit none --for 1h --reason TEXT\n$/,
  });
  t.same(on.questions, []);
  await on.rollcall('company configure --company 7 --over-limit hold');
  const held = await on.importFile(one, '', () => 'no');
  t.match(held.out, /more than the batch limit of 25 %: it waits until somebody approves it\.\n$/);
  t.equal(on.questions.length, 1);
  t.match(await on.importFile([head, ...four, row('A-5')].join('\n'), '', () => 'no'), {
    out: /\n1 invitation goes out, from /,
  });
  await on.queue(people(1));
  t.match((await on.importFile(one, '', () => 'no')).out, /\nIt waits for 1 pending import\.\n/);
});

tap.test('a mapping says what columns and texts mean', async (t) => {
  const on = await rig(t);
  const mapping = join(on.dataDir, 'columns.json');
  const given = { columns: { No: 'EmployeeID', Pay: null }, values: { EmploymentStatus: { active: 0 } } };
  writeFileSync(mapping, `\ufeff${JSON.stringify(given)}`);
  const text = 'No,Firstname,Lastname,Email,EmploymentStatus,Pay\n7,Ada,Holm,ada@example.com,active,9';
  t.match(await on.importFile(text, `--mapping ${mapping} --yes`), { code: 0 });
  t.same(await on.ids(), ['7']);
  const values = { EmploymentStats: { active: 0 } };
  writeFileSync(mapping, JSON.stringify({ ...given, values }));
  const err = /EmploymentStats in the mapping is no field/;
  t.match(await on.importFile(text, `--mapping ${mapping} --yes`), { code: 1, err });
  writeFileSync(mapping, Buffer.from('{"columns": {"\xe9": null}}', 'latin1'));
  t.match(await on.importFile(text, `--mapping ${mapping} --yes`), { code: 2, err: /as UTF-8 text/ });
  writeFileSync(mapping, '{"colums": {}}');
  t.match(await on.importFile(text, `--mapping ${mapping} --yes`), { code: 2, err: /is no mapping/ });
});

tap.test('managers', async (t) => {
  const on = await rig(t, 'managers');
  await on.rollcall('company configure --company 7 --department-dimensions Department');
  const text =
    'DimensionName,DepartmentName,FirstName,LastName,Email,PrimaryContact\nDepartment,Sales,Ada,Holm,ada@example.com,TRUE\n';
  const ran = await on.importFile(text, '--yes');
  t.match(ran, { code: 0, err: '', out: /roles created +1/ });
  const renamed = text.replace('Holm', 'Berg').replace('TRUE', 'FALSE');
  t.match(await on.importFile(renamed, '--yes'), { code: 0, out: /Done: import/ }, 'no count says it');
  t.match(await on.importFile(renamed, '--yes'), { code: 0, out: /Nothing was changed/ });
  t.match(await on.importFile(text.replace('ada@', 'a.holm@').replace('Holm', 'Berg'), '--yes'), {
    out: /1 of the new ones look like people who would be locked\./,
  });
  t.match(await on.importFile(text.replace('Department,', 'Site,'), '--yes'), {
    code: 1,
    err: /line 2: DimensionName must/,
  });
  await on.queue(people(1));
  const nobody = text.slice(0, text.indexOf('\n') + 1);
  t.match(await on.importFile(nobody, '--yes'), { code: 0, out: /\nIt may wait for 1 pending import\.\n/ });
});
