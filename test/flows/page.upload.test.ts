import { randomBytes } from 'node:crypto';
import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { auditor, signedIn } from './page.support.js';
import { csv, formIn, head, line, path, plain, putTwo, sendFile } from './page.upload.support.js';
import { exactly } from '../support/exactly.js';

tap.test(
  'a CSV with a wrong column name is corrected without a second upload, previewed and applied',
  async (t) => {
    const app = await startTestApp(t);
    const visitor = await signedIn(app);
    await putTwo(app);
    const file = csv(line(1), line(3)).replace('Email', 'Mail adress');
    const wrong = await sendFile(visitor, app, file);
    t.equal(wrong.status, 422);
    t.match(plain(wrong.text), /No field is called “Mail adress”: choose one, or leave it out/);
    t.match(plain(wrong.text), /Line Problem 1 a column for Email is missing/);

    const mapped = { ...formIn(wrong.text, path), 'column-3': 'Email' };
    const shown = await visitor.post(path, mapped);
    t.equal(shown.status, 200);
    t.match(plain(shown.text), /Added 1 Updated 0 Removed 1 .*Remove 1 employee, add 1: apply.*E-2 .*E-3/);
    const apply = formIn(shown.text, `${path}/apply`);
    const unexplained = await visitor.post(`${path}/apply`, apply);
    t.match(unexplained, { status: 422, text: /Say why/ });
    const again = formIn(unexplained.text, `${path}/apply`);
    const done = await visitor.post(`${path}/apply`, { ...again, reason: 'from the HR file' });
    t.equal(done.status, 303);
    const { text } = await visitor.get(done.headers.get('location') ?? '');
    t.match(plain(text), /Done 1 added, 0 updated, 1 removed.*operator:Ada/);

    t.match(
      await visitor.post(`${path}/apply`, { ...apply, token: await visitor.token(path), reason: 'again' }),
      { status: 422, text: /would change nothing|changed since/ },
    );
  },
);

tap.test(
  'columns of one name are chosen each by itself, and what was chosen is what is applied',
  async (t) => {
    const app = await startTestApp(t);
    await app.projected();
    const visitor = await signedIn(app);
    const lines = [`${head},Dimensions.Site,Department`, `${line(1)},Oslo,Mordor`];
    const wrong = await sendFile(visitor, app, lines.join('\n'));
    t.match(plain(wrong.text), /two columns are the field Department/);
    const selected = /<option value="Dimensions.Site" selected/;
    t.match(wrong.text, selected);
    const mapped = { ...formIn(wrong.text, path), 'column-5': 'Department', 'column-7': '-' };
    const shown = await visitor.post(path, { ...mapped, 'column-6': 'Dimensions.Site' });
    t.equal(shown.status, 200);
    const apply = { ...formIn(shown.text, `${path}/apply`), reason: 'new' };
    t.match(await visitor.post(`${path}/apply`, apply), { status: 303 });
    t.match(
      (await app.call('GET', '/v1.0/Company/7/Employee')).json,
      exactly([{ Department: 'Shire', Dimensions: { Site: 'Oslo' } }]),
    );
  },
);

tap.test('bad rows are named by their line, and JSON is taken as well', async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const visitor = await signedIn(app);
  const bad = await sendFile(visitor, app, csv(line(1), line(2).replace('@', ' at '), line(1)));
  t.equal(bad.status, 422);
  t.match(
    plain(bad.text),
    /Line Problem 3 Email must be a valid e-mail address.* 4 EmployeeID is the same as that of line 2/,
  );
  t.match(bad.text, /<th scope="row" class="count" data-name="Line">/, 'a phone shows the name');
  t.match((await sendFile(visitor, app, '')).text, /Choose a file, or paste the list/);
  const json = JSON.stringify([
    { EmployeeID: 'E-1', Firstname: 'A', Lastname: 'B', Email: 'a@example.com', EmploymentStatus: 1 },
  ]);
  for (const text of [json, `\ufeff${json}`])
    t.match(plain((await sendFile(visitor, app, text)).text), /Added 1 Updated 0/);
  const one = await sendFile(visitor, app, csv(line(1), line(2).replace('@', ' at ')));
  t.match(plain(one.text), /There is a problem Email must be a valid e-mail .* Line Problem 3 Email must/);
  const wrong = await sendFile(visitor, app, json.replace('@', ' at '));
  t.match(plain(wrong.text), / What is wrong with the file Problem .*Email must/, 'JSON has no lines');
  const many = csv(...Array.from({ length: 20_000 }, (_, at) => line(at + 1)));
  t.match(plain((await sendFile(visitor, app, many)).text), /Added 20.000 /, 'a large one');
  t.match(plain((await sendFile(visitor, app, '{"a":')).text), /not valid JSON|must be/);
});

tap.test('a list that is too large is refused with the size, and what was chosen stays', async (t) => {
  const app = await startTestApp(t, { config: { employeeBodyLimit: 2_000, bodyBudget: 20_000 } });
  await app.projected();
  const visitor = await signedIn(app);
  const lines = Array.from({ length: 16 }, (_, at) => line(at + 1));
  t.match(
    plain((await sendFile(visitor, app, csv(...lines))).text),
    /Line Problem 1\d up to here the list has more than 2000 bytes as JSON/,
  );
  const large = await sendFile(visitor, app, csv(...lines, ...lines, ...lines), { renames: 'keep' });
  t.match(large, { status: 422, text: /The file has more than 2\u202f000 bytes/ });
  t.match(large.text, /value="keep" selected/);
  t.match(large.text, /aria-describedby="file-hint file-problem"/);
  const managers = await sendFile(visitor, app, '', { kind: 'managers' });
  t.match(managers.text, /value="managers" selected/);
  t.match(managers.text, /Choose a file, or paste the list/);
  t.match(managers.text, /Employees: EmployeeID, .* Managers: DimensionName, /, 'the columns of both');
  const packed = await sendFile(visitor, app, new Uint8Array(randomBytes(1_990)));
  t.match(packed, { status: 422, text: /the file is not UTF-8/ }, 'what cannot be packed');
});

tap.test('an Auditor, and another company, upload nothing', async (t) => {
  const app = await startTestApp(t);
  const [reader, eve] = [
    await signedIn(app, auditor),
    await signedIn(app, { name: 'Eve', role: 'Operator', companyId: 8 }),
  ];
  t.match(await reader.get(path), { status: 403 });
  t.match(await eve.get(path), { status: 404 });
  for (const [visitor, status] of [
    [reader, 403],
    [eve, 404],
  ] as const) {
    for (const to of [path, `${path}/apply`]) {
      const token = await visitor.token('/operations/imports');
      t.match(await visitor.post(to, { token, text: csv(line(1)), kind: 'employees' }), { status });
    }
  }
});

tap.test('of many changes the first are shown, who leaves before the others', async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const visitor = await signedIn(app);
  const numbers = Array.from({ length: 60 }, (_, at) => at + 10);
  await putTwo(app);
  const { text } = await sendFile(visitor, app, csv(...numbers.map(line)));
  const table = plain(text.slice(text.indexOf('<table')));
  t.match(table, /The first 50 changes, who leaves first.* E-1 .* E-2 .* E-10 /);
  t.equal(new Set(table.match(/E-\d+/g)).size, 50);
});

tap.test(
  'a list over the batch limit says what comes of it, and only what may be applied has a form',
  async (t) => {
    const settings = { batchLimit: 10, batchLimitFrom: 1, overLimit: 'hold', name: 'Acme' } as const;
    const holding = await startTestApp(t, { settings });
    await putTwo(holding);
    const visitor = await signedIn(holding);
    const shown = await sendFile(visitor, holding, csv(line(2), line(3), line(4), line(5)));
    const text =
      /It would add 3 employees to 2: more than .* 10 %\. It would remove 1\. It will be held until .*Type 3 .*Remove 1 employee, add 3: hand in for approval/;
    t.match(plain(shown.text), text);
    const apply = { ...formIn(shown.text, `${path}/apply`), reason: 'new' };
    const done = await visitor.post(`${path}/apply`, { ...apply, typed: '3' });
    t.equal(done.status, 303);
    await holding.projected();
    const { text: page } = await visitor.get(done.headers.get('location') ?? '');
    t.match(plain(page), /The list is accepted\. .* Held Waits for somebody/);

    const refusing = await startTestApp(t, { settings: { ...settings, overLimit: 'refuse' } });
    await putTwo(refusing);
    const other = await signedIn(refusing);
    const refused = await sendFile(other, refusing, csv(line(2), line(3), line(4), line(5)));
    t.match(
      plain(refused.text),
      /of 2 employees present, 3 would be inserted and 1 removed.*have the limit raised/,
    );
    t.notMatch(refused.text, /apply"|Type 3/);
  },
);
