import { exactly } from '@rollcall/employee-lists/testing';
import fc from 'fast-check';
import t from 'tap';
import { problemInFile, readCsvList, type CsvMapping } from './csv-list.js';

const read = (text: string, mapping?: CsvMapping) => readCsvList('employees', Buffer.from(text), mapping);

async function bodyOf(text: string, mapping?: CsvMapping): Promise<unknown> {
  const reading = await read(text, mapping);
  return reading.ok ? JSON.parse(Buffer.from(reading.body).toString()) : reading.problems;
}

const head = 'EmployeeID,First name,LASTNAME,E-Mail,Employment_Status';

t.test('Given columns by their names, then they are fields, whatever case, blanks and signs', async (t) => {
  t.same(
    await bodyOf(
      `\ufeff${head},Dimensions.Site\r\nA-1,Ada,"Lovelace, Countess",ada@example.com,0,Aarhus\r\n`,
    ),
    [
      {
        EmployeeID: 'A-1',
        Firstname: 'Ada',
        Lastname: 'Lovelace, Countess',
        Email: 'ada@example.com',
        EmploymentStatus: 0,
        Dimensions: { Site: 'Aarhus' },
      },
    ],
  );
  t.same(await bodyOf(`${head.replaceAll(',', ';')}\nA-1;Ada;L;;x`), [
    { EmployeeID: 'A-1', Firstname: 'Ada', Lastname: 'L', EmploymentStatus: 'x' },
  ]);
});

t.test('Given a mapping, then columns, values and what is left out go by it', async (t) => {
  const mapping = {
    columns: { No: 'EmployeeID', Site: 'Dimensions.Location', Salary: null },
    values: { EmploymentStatus: { active: 0 } },
  };
  t.same(
    await bodyOf(
      '\ufeffNo,Firstname,Lastname,Email,EmploymentStatus,Site,Salary\n007,A,B,a@example.com,active,Oslo,9',
      mapping,
    ),
    [
      {
        EmployeeID: '007',
        Firstname: 'A',
        Lastname: 'B',
        Email: 'a@example.com',
        EmploymentStatus: 0,
        Dimensions: { Location: 'Oslo' },
      },
    ],
  );
});

t.test('Given a head that does not fit, then each problem is named', async (t) => {
  t.match(
    await bodyOf('EmployeeID,Fistname,Lastname,Email,EmploymentStatus,Email\n', { columns: { X: 'Y' } }),
    exactly([
      { line: 1, problem: /^column "Fistname" is no field/ },
      { line: 1, problem: 'the file has no column "X", which the mapping names' },
      { line: 1, problem: 'two columns are the field Email' },
      { line: 1, problem: 'a column for Firstname is missing, which is required' },
    ]),
  );
});

t.test('Given columns of one name, then each goes by its place, and no field is lost', async (t) => {
  const [columns, cells] = [`${head},Site,Site`, 'A,B,C,a@example.com,0'];
  const chosen = (name: string, at: number) =>
    name !== 'Site' ? undefined : at === 5 ? 'Dimensions.Site' : null;
  t.match(
    await bodyOf(`${columns}\n${cells},Oslo,Rome`, { chosen }),
    exactly([{ Dimensions: { Site: 'Oslo' } }]),
  );
  t.match(
    await bodyOf(`${columns}\n`, { columns: { Site: 'Dimensions.Site' } }),
    exactly([
      { line: 1, problem: 'the file has more than one column "Site", which the mapping names' },
      { line: 1, problem: 'two columns are the field Dimensions.Site' },
    ]),
  );
  const empty = await bodyOf(`${head},,\n${cells},,`, { columns: { '': null } });
  t.match(empty, exactly([{ Firstname: 'B' }]), 'columns of one name can be left out');
  const proto = await read(`${head},Dimensions.__proto__\n${cells},x`);
  t.match(proto.ok && Buffer.from(proto.body).toString(), /"Dimensions":\{"__proto__":"x"\}/);
});

t.test(
  'Given empty lines and quoted line breaks, then lines and delimiter are those of the file',
  async (t) => {
    for (const end of ['\n', '\r\n']) {
      const [first = '', ...others] = head.split(',');
      const heads = [`"${first}${end}"`, ...others].join(';');
      const lines = ['', heads, '', '', 'A;"B', '', '";C;D;0', '', 'A;B;C;D;0', ''];
      const reading = await read(`\ufeff${lines.join(end)}`);
      t.match(reading, { ok: true, lines: exactly([6, 10]) });
      t.equal(reading.columns.length, 5);
      t.match(await read([...lines, 'A;B'].join(end)), { problems: exactly([{ line: 12 }]) });
    }
  },
);

t.test('Given what is no CSV, then the line is named', async (t) => {
  t.match(await bodyOf(`${head}\nA,B,C,D,0\nA,B\n`), exactly([{ line: 3, problem: /number of cells/ }]));
  t.match(await bodyOf(`${head}\n"A,B,C,D,0\n`), exactly([{ problem: /quotation mark/ }]));
  for (const long of ['"' + 'a'.repeat(4_000_000), ','.repeat(4_000_000), '"\n",'.repeat(1_000_000)])
    t.match(
      await bodyOf(`${head}\nA,B,C,D,0\n${long}`),
      exactly([{ problem: /longer than 1 MiB|quotation mark/ }]),
    );
  t.match(await bodyOf(','.repeat(100_000)), exactly([{ line: 1, problem: /more than 1000 columns/ }]));
  t.match(await bodyOf(''), exactly([{ problem: /empty/ }]));
  t.match(await readCsvList('employees', Uint8Array.of(0xff, 0xfe)), {
    problems: exactly([{ problem: /UTF-8/ }]),
  });
});

t.test('Given the problems of the list, then they are told by line', async (t) => {
  const reading = await read(`${head}\n"A\n1",B,C,a@example.com,0\n\nA-2,B,C,b@example.com,0`);
  if (!reading.ok) throw new Error('the file is right');
  t.same(reading.lines, [2, 5]);
  t.same(problemInFile(reading, "[1] EmployeeID 'A-2': Email is the same as that of [0]"), {
    line: 5,
    problem: 'Email is the same as that of line 2',
  });
  t.same(problemInFile(reading, "[1] EmployeeID 'A': 2': Email is required"), {
    line: 5,
    problem: 'Email is required',
  });
  const inJson = "[3] EmployeeID 'E-4': Email is the same as that of [1]";
  t.same(problemInFile({ lines: [] }, inJson), { problem: inJson });
  t.same(problemInFile(reading, 'Company integration is not allowed'), {
    problem: 'Company integration is not allowed',
  });
  t.same(problemInFile({ lines: [2] }, 'ManagerRoles[0].Email is required'), {
    line: 2,
    problem: 'Email is required',
  });
});

t.test('Given any texts, then quoting them gives them back', async () => {
  const cell = fc.string({ unit: 'binary' }).filter((text) => text !== '' && !text.includes('\ufeff'));
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (rows) => {
      const lines = rows.map((row) => [...row, 'x', 'x@example.com', '1'].map(quoted).join(','));
      const list = (await bodyOf([head, ...lines].join('\n'))) as { EmployeeID: string; Firstname: string }[];
      return list.every(({ EmployeeID, Firstname }, at) => {
        const [id, name] = rows[at] ?? [];
        return EmployeeID === id && Firstname === name;
      });
    }),
  );
});
