import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { importSettings, managers } from './imports.support.js';
import { signedIn } from './page.support.js';
import { csv, formIn, head, line, path, plain, putTwo, sendFile } from './page.upload.support.js';

const person = (number: number, change: object = {}): object => ({
  ...{ EmployeeID: `E-${number}`, Firstname: 'Bilbo', Lastname: 'Baggins', EmploymentStatus: 1 },
  ...{ Email: `bilbo.${number}@example.com`, ...change },
});

tap.test('a name that is no field is shown with how many elements have it', async (t) => {
  const app = await startTestApp(t);
  await putTwo(app);
  const visitor = await signedIn(app);
  const list = [1, 2].map((number) => person(number, { Departmnt: 'Shire' }));
  const shown = plain((await sendFile(visitor, app, JSON.stringify(list))).text);
  t.match(shown, /No field is called “Departmnt” \(2 elements\): ignored\./);
  const names = Object.fromEntries(Array.from({ length: 103 }, (_, at) => [`More${at}`, 'x']));
  const many = plain((await sendFile(visitor, app, JSON.stringify([person(1, names)]))).text);
  t.match(many, /“More99” \(1 element\), others \(3 elements\): ignored\./);
});

tap.test('fields that become empty are said before, and counted in the preview', async (t) => {
  const app = await startTestApp(t);
  const places = { Department: 'Shire', Dimensions: { Location: 'Bag End' } };
  const numbers = Array.from({ length: 60 }, (_, at) => at + 1);
  const body = [...numbers.map((number) => person(number, places)), person(99, places)];
  await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  const visitor = await signedIn(app);
  t.match(plain((await visitor.get(path)).text), /a field without a column becomes empty/);
  const list = csv(...numbers.map(line));
  const wrong = await sendFile(visitor, app, list.replace('Department', 'Abteilung'));
  t.match(plain(wrong.text), /A field without a column becomes empty/);
  const shown = await visitor.post(path, { ...formIn(wrong.text, path), 'column-5': '-' });
  t.match(
    plain(shown.text),
    /Becomes empty: Department for 60 employees, Dimensions\.Location for 60 employees\./,
  );
});

tap.test('a preview says that one import waits before it', async (t) => {
  const app = await startTestApp(t);
  await putTwo(app);
  await app.call('PUT', '/v1.0/Company/7/Employee', { body: [], headers: { prefer: 'respond-async' } });
  await app.projected();
  const { text } = await sendFile(await signedIn(app), app, csv(line(1)));
  t.match(plain(text), /It waits for 1 import before it\./);
  const file =
    'DimensionName,DepartmentName,FirstName,LastName,Email\nDepartment,North,Ada,Took,ada@example.com\n';
  const ofManagers = await sendFile(await signedIn(app), app, file, { kind: 'managers' });
  t.match(plain(ofManagers.text), /It may wait for 1 import before it\./, "another user's employees");
});

tap.test('a preview may be asked for twice with one form, what carries out not', async (t) => {
  const app = await startTestApp(t);
  await putTwo(app);
  const visitor = await signedIn(app);
  const form = { token: await visitor.token(path), kind: 'employees', text: csv(line(1)) };
  const [shown, again] = await Promise.all([visitor.post(path, form), visitor.post(path, form)]);
  for (const { status, text } of [shown, again, await visitor.post(path, form)]) {
    t.equal(status, 200);
    t.match(plain(text), /Remove 1 employee: apply/);
  }
  const apply = formIn(shown.text, `${path}/apply`);
  for (const time of [1, 2])
    t.equal((await visitor.post(`${path}/apply`, apply)).status, 422, `no reason ${time}`);
  const explained = { ...apply, reason: 'they have left' };
  t.equal((await visitor.post(`${path}/apply`, explained)).status, 303);
  t.match(await visitor.post(`${path}/apply`, explained), { status: 409, text: /sent before/ });
});

tap.test('a problem in JSON names its element', async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const visitor = await signedIn(app);
  const list = [person(1), person(2, { Email: 'nowhere' }), person(1)];
  const text = plain((await sendFile(visitor, app, JSON.stringify(list))).text);
  t.match(text, /Correct the list, and choose the file again\./);
  t.match(
    text,
    /\[1\] EmployeeID &#39;E-2&#39;: Email must be a valid .*\[2\] EmployeeID &#39;E-1&#39;: .* that of \[0\]/,
  );
});

tap.test('a list that locks managers says how many, in red', async (t) => {
  const app = await startTestApp(t, { settings: importSettings });
  const role = (first: string): object => ({
    ...{ DimensionName: 'Division', DepartmentName: 'North', FirstName: first, LastName: 'Took' },
    ...{ Email: `${first}@example.com`, PrimaryContact: true },
  });
  await app.call('PUT', managers.path, { body: { ManagerRoles: ['Ada', 'Bell'].map(role) } });
  await app.projected();
  const visitor = await signedIn(app);
  const file = 'DimensionName,DepartmentName,FirstName,LastName,Email\n';
  const shown = await sendFile(visitor, app, file, { kind: 'managers' });
  t.match(shown.text, /<button class="danger">Lock 2 users, disable 2 roles: apply</);
  t.match(plain(shown.text), /Change .*Ada@example\.com Ada Took User locked .* Role disabled /);
  const more = JSON.stringify({ ManagerRoles: ['Ada', 'Bell', 'Cora'].map(role) });
  const harmless = await sendFile(visitor, app, more, { kind: 'managers' });
  t.match(harmless.text, /<button class="primary">Create 1 role: apply</);
});

tap.test('each row has a word for what happens, and the name of who is known', async (t) => {
  const app = await startTestApp(t);
  await putTwo(app);
  const visitor = await signedIn(app);
  const { text } = await sendFile(visitor, app, csv(line(1).replace('Shire', ''), line(3)));
  const table = plain(text.slice(text.indexOf('<table')));
  t.match(
    table,
    /EmployeeID Change Fields E-2 Bilbo Baggins Removed .* E-3 Added .* E-1 Bilbo Baggins Updated Department was Shire /,
  );
});

tap.test('another file keeps what was chosen', async (t) => {
  const app = await startTestApp(t);
  await putTwo(app);
  const visitor = await signedIn(app);
  const named = (...lines: string[]): string => csv(...lines).replace('Email', 'Mail');
  const wrong = await sendFile(visitor, app, named(line(1).replace('@', ' at ')), { renames: 'keep' });
  const mapped = { ...formIn(wrong.text, path), 'column-3': 'Email' };
  const bad = await visitor.post(path, mapped);
  t.match(plain(bad.text), /2 Email must be a valid e-mail address.*Choose another file/);
  t.match(bad.text, /value="keep" selected/);
  const carried = formIn(bad.text, path);
  const without = await sendFile(visitor, app, '', carried);
  t.match(without.text, /Choose a file, or paste the list/);
  const shown = await sendFile(visitor, app, named(line(1)), formIn(without.text, path));
  t.match(plain(shown.text), /Remove 1 employee: apply/);
  t.match(plain((await sendFile(visitor, app, csv(line(1)), carried)).text), /Remove 1 employee: apply/);
  const moved = await sendFile(visitor, app, `Mail,${head}\nx,${line(1)}`, carried);
  t.match(plain(moved.text), /No field is called “Mail”/);
  t.match(moved.text, /<option value="Lastname" selected/, 'by its name, not by its position');
});

tap.test('a file and a pasted list together are a problem', async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const visitor = await signedIn(app);
  const both = await sendFile(visitor, app, csv(line(1)), { text: csv(line(2)) });
  t.match(both, { status: 422, text: /Choose a file or paste the list, not both/ });
  t.match(both.text, /<details open>.*bilbo\.2@example\.com/s, 'what was pasted stays');
  t.match(await sendFile(visitor, app, '', { text: csv(line(2)) }), { status: 200 });
});

tap.test('columns are chosen where they are wrong, and a file is asked for where it helps', async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const visitor = await signedIn(app);
  const cut = await sendFile(visitor, app, csv(line(1), 'E-2,Bilbo').replace('Email', 'Mail'));
  t.match(plain(cut.text), /3 the line has another number of cells/);
  t.match(plain(cut.text), /Correct these lines, and choose the file again/);
  t.notMatch(cut.text, /Column “|No field is called/);

  const off = await startTestApp(t, { settings: { integrationEnabled: false } });
  await off.projected();
  const other = await signedIn(off);
  t.match(await other.get(path), { status: 200, text: /Imports of this company are off/ });
  const company = (await other.get('/operations/companies/7')).text;
  t.match(company, /Imports of this company are off: “rollcall company configure” switches them on/);
  t.notMatch(company, /Upload a list/);
  const form = { token: await other.token('/operations'), text: csv(line(1)) };
  const refused = await other.post(path, form);
  t.match(refused, { status: 422, text: /Imports of this company are off/ });
  t.notMatch(refused.text, /choose the file again|type="file"/);
});

tap.test('the rows that are shown are some of each kind', async (t) => {
  const app = await startTestApp(t);
  const numbers = Array.from({ length: 60 }, (_, at) => at + 1);
  const body = [...numbers.map((number) => person(number)), person(200), person(201)];
  await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  await app.projected();
  const visitor = await signedIn(app);
  const coming = numbers.map((number) => line(number + 100)).join('\n');
  const { text } = await sendFile(visitor, app, `${head}\n${coming}\n${line(200)}\n${line(201)}`);
  const rows = plain(text.slice(text.indexOf('<tbody'))).match(/ (?:Removed|Added|Updated) /g) ?? [];
  const counts = ['Removed', 'Added', 'Updated'].map((word) => rows.join().split(word).length - 1);
  t.strictSame(counts, [24, 24, 2]);
  t.match(plain(text), /The first 50 changes, who leaves first and some of each kind/);
});
