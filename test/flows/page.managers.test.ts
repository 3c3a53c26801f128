import { listImports, managerDifference } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { importSettings, managers } from './imports.support.js';
import { hiddenIn, signedIn } from './page.support.js';

const role = (first: string, change: object = {}): object => ({
  DimensionName: 'Division',
  DepartmentName: 'North',
  FirstName: first,
  LastName: 'Took',
  Email: `${first}@example.com`,
  PrimaryContact: true,
  ...change,
});

const lists = [
  { ManagerRoles: [role('Ada'), role('Bell'), role('Cora')], DepartmentHierarchy: { North: 'World' } },
  {
    ManagerRoles: [
      role('Ada', { LastName: '=Brandybuck' }),
      role('Cora', { PrimaryContact: false }),
      role('Dora'),
    ],
    DepartmentHierarchy: { North: null },
  },
  {
    ManagerRoles: [role('Ada'), role('Bell', { DepartmentName: 'South' })],
    DepartmentHierarchy: { South: 'North' },
  },
];

/** What the dry run of each list said before it was carried out, and the operations' ids. */
async function lived(t: Test) {
  const settings = { ...importSettings, hierarchyEnabled: true, batchLimit: 10, batchLimitFrom: 0 };
  const app = await startTestApp(t, { settings });
  const said: string[] = [];
  for (const body of lists) {
    const headers = {
      accept: 'text/csv',
      authorization: `Bearer ${app.token()}`,
      'content-type': 'application/json',
    };
    const rehearsal = `${app.url}${managers.path}?dryRun=true&Details=true`;
    const dryRun = await fetch(rehearsal, { method: 'PUT', headers, body: JSON.stringify(body) });
    said.push(await dryRun.text());
    await app.call('PUT', managers.path, { body });
    await app.projected();
  }
  return { app, said, imports: (await importsOf(app)).toReversed() };
}

const importsOf = async ({ adapters }: TestApp) =>
  (await listImports(adapters.readModels, { companyId: 7, limit: 9 })).imports;

/** Those who are created have numbers only afterwards. */
const withoutIds = (csv: string): string[] =>
  csv
    .trim()
    .split('\r\n')
    .map((line) => line.replace(/^(\w+),\d*,/, '$1,'))
    .sort();

tap.test(
  'the difference of an import of managers: its parts, and as CSV what the dry run said',
  async (t) => {
    const { app, said, imports } = await lived(t);
    const visitor = await signedIn(app);
    const get = (at: number, path = '') =>
      visitor.get(`/operations/imports/${imports[at]?.operationId}${path}`);
    for (const [at, dryRun] of said.entries()) {
      const csv = await get(at, '/difference.csv');
      t.equal(csv.status, 200);
      t.ok(withoutIds(dryRun).length > 5);
      t.strictSame(withoutIds(csv.text), withoutIds(dryRun));
      t.match(await get(at), { text: /Users, departments and roles/ });
    }
    t.match(await get(1, '/difference.csv'), {
      text: /UserRenamed,1,Ada@example\.com,LastName,Took,'=Brandybuck\r\n/,
    });
    const shown = async (part: string): Promise<string> => {
      const { text } = await get(1, `/difference${part}`);
      return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    };
    t.match(
      await shown(''),
      /Users locked 1 Users unlocked 0 Users created 1 Users renamed 1 .*Bell@example\.com Locked was false now true/,
    );
    t.match(await shown('?part=renamed'), /Ada@example\.com LastName was Took now &#61;Brandybuck/);
    t.match(await shown('?part=changed'), /Cora@example\.com .* PrimaryContact was true now false/);
    t.match(await shown('?part=parents'), /North DepartmentName North Parent was World/);
    t.match(await shown('?part=unlocked'), /Users unlocked: none in this import/);
    t.notMatch(await shown('?part=enabled&skip=50'), /Dora/);
    t.match(await shown('?part=removed'), /Users locked: 1 to 1 of 1/, 'a part of employees');
  },
);

tap.test('an undo of managers is an import of managers', async (t) => {
  const { app, imports } = await lived(t);
  const visitor = await signedIn(app);
  const path = `/operations/imports/${imports.at(-1)?.operationId}/undo`;
  const { text } = await visitor.get(path);
  t.notMatch(text, /to confirm/, 'managers have no batch limit');
  const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  t.match(
    words,
    /Roles enabled 2 Roles disabled 1 Roles changed 0 Users locked 1 Users unlocked 2 Users renamed 1/,
  );
  t.match(
    words,
    /Parents changed 1 Roles that are disabled: 1 Division South Bell@\S+ Users who are locked: 1 Bell@\S+ Roles that are enabled again: 2/,
  );
  const form = {
    token: hiddenIn(text, 'token'),
    revision: hiddenIn(text, 'revision'),
    force: hiddenIn(text, 'force'),
  };
  t.match(await visitor.post(path, { ...form, reason: 'the wrong file' }), { status: 303 });
  await app.projected();
  t.match((await importsOf(app))[0], { kind: 'managers', Method: /^rollcall imports undo/ });
  const left = (await visitor.get(path)).text;
  t.match(left, /Nothing is left to take back/);
  t.notMatch(left, /<form[^>]*undo/, 'no form');
});

tap.test('a state and a difference name portal users, departments and both of a role', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  const app = await startTestApp(t, { clock, settings: { ...importSettings, hierarchyEnabled: true } });
  for (const body of lists.slice(0, 2)) {
    await app.call('PUT', managers.path, { body });
    clock.at += 240_000;
  }
  const visitor = await signedIn(app);
  const words = async (query: string): Promise<string> => {
    const { text } = await visitor.get(`/operations/companies/7/moments?${query}`);
    return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  };
  const state = await words('at=2099-01-01T00:00');
  t.match(state, /Portal user 2 Bell@example\.com .*Department 2 World .*Role 1\/1 North Ada@example\.com /);
  const between = new Date(clock.at - 360_000).toISOString().slice(0, 16);
  const difference = await words(`from=${between}`);
  t.match(difference, /Portal user 2 Bell@example\.com Changed locked was false now true/);
  t.match(
    difference,
    /Department 1 North Changed parent was 2 now – .*Role 1\/2 North Bell@example\.com Removed/,
  );
});

tap.test('an import of managers that changed nothing is not taken back', async (t) => {
  const { app } = await lived(t);
  await app.call('PUT', managers.path, { body: lists.at(-1) });
  await app.projected();
  const visitor = await signedIn(app);
  const [same, changed] = (await importsOf(app)).map(
    ({ operationId }) => `/operations/imports/${operationId}`,
  );
  t.match((await visitor.get(changed ?? '')).text, /Take this import back/);
  const { text, status } = await visitor.get(same ?? '');
  t.equal(status, 200);
  t.notMatch(text, /Take this import back/);
});

tap.test('a manager who comes under another address is named as one who would be locked', async (t) => {
  const { app } = await lived(t);
  const visitor = await signedIn(app);
  const path = '/operations/companies/7/upload';
  const text = JSON.stringify({ ManagerRoles: [role('Ada', { Email: 'new@example.com' })] });
  const shown = await visitor.post(path, { token: await visitor.token(path), kind: 'managers', text });
  t.match(shown.text, /1 new one may be somebody who would be locked, under another address\./);
});

tap.test('what it replaced lies too far back', async (t) => {
  const { app, imports } = await lived(t);
  const { companyId = 7, revision = 0 } = imports[1] ?? {};
  const found = await managerDifference(app.adapters, { companyId, revision, until: -1, now: () => 0 });
  t.match(found, { isPartial: true, counts: { locked: 1, renamed: 1, parents: 0 } });
  t.match((await found?.rows('renamed').next())?.value, {
    Email: 'Ada@example.com',
    Fields: { LastName: { Old: null } },
  });
});
