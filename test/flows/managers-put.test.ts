import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { importSettings, managers, put, rowsOf } from './imports.support.js';
import { exactly } from '../support/exactly.js';

const sample = readFileSync(new URL('../../samples/manager-import.json', import.meta.url));
const settings = { ...importSettings, hierarchyEnabled: true };

const send = async (app: TestApp, body: unknown, query = ''): Promise<Answer> =>
  put(app, managers, body, { query });

t.test('the published sample: sent, sent again, changed, emptied', async (t) => {
  const app = await startTestApp(t, { settings });
  const first = await send(app, sample);
  t.equal(first.status, 200);
  t.equal(first.text, '"Successfully created 2, disabled 0 roles and locked 0 users."');
  t.equal(first.headers.get('content-type'), 'application/json; charset=utf-8');
  t.equal((await send(app, sample)).json, 'Successfully created 0, disabled 0 roles and locked 0 users.');
  const { ManagerRoles } = JSON.parse(sample.toString()) as { ManagerRoles: object[] };
  const fewer = await send(app, { ManagerRoles: ManagerRoles.slice(1) });
  t.equal(fewer.json, 'Successfully created 0, disabled 1 roles and locked 1 users.');
  t.equal(
    (await send(app, { ManagerRoles: [] })).json,
    'Successfully created 0, disabled 1 roles and locked 1 users.',
  );
  t.match(
    await rowsOf(app),
    exactly([
      { Inserted: 0, Removed: 1 },
      { Inserted: 0, Removed: 1 },
      { Inserted: 0, Removed: 0 },
      {
        Method: `PUT ${managers.path}`,
        HttpStatusCode: 200,
        HttpStatusReason: 'OK',
        Inserted: 2,
        Removed: 0,
        Result: 'Successfully created 2, disabled 0 roles and locked 0 users.',
      },
    ]),
  );
  const set = await app.call('GET', managers.setPath);
  t.match(set.json, { Users: exactly([{ Locked: true }, { Locked: true }]) });
});

t.test('the path, in any case of letters and with a slash at its end', async (t) => {
  const app = await startTestApp(t, { settings });
  for (const path of [
    `/v1.0/user/${companyId}/managerimport`,
    `/V1.0/USER/${companyId}/MANAGERIMPORT/`,
    `/v1.0/User/${companyId}/ManagerImport?DRYRUN=true`,
  ])
    t.equal((await app.call('PUT', path, { body: sample })).status, 200, path);
  const [, , get] = await Promise.all([
    app.call('POST', managers.path, { body: sample }),
    app.call('DELETE', managers.path),
    app.call('GET', managers.path),
  ]);
  t.equal(get.status, 405);
  t.equal(get.headers.get('allow'), 'PUT');
});

t.test('a rehearsal tells what would happen and writes nothing', async (t) => {
  const app = await startTestApp(t, { settings });
  await send(app, sample);
  const before = await app.eventCount();
  const answer = await send(app, { ManagerRoles: [] }, '?dryRun=true');
  t.equal(answer.status, 200);
  t.match(answer.json, {
    DryRun: true,
    Created: 0,
    Disabled: 2,
    Locked: 2,
    Unlocked: 0,
    WasQueued: false,
    Changes: {
      Locked: exactly(['jens.jensen@example.com', 'mette.lund@example.com']),
      Unlocked: { length: 0 },
    },
    PendingImports: 0,
  });
  t.equal((await send(app, '{', '?dryRun=true')).status, 400);
  t.equal((await send(app, { ManagerRoles: [5] }, '?dryRun=true')).status, 400);
  t.equal(await app.eventCount(), before);
});

/** A 400 is one string, and has its row. */
async function refused(t: Test, app: TestApp, answer: Answer, expected: RegExp): Promise<void> {
  t.equal(answer.status, 400, answer.text);
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  t.match(answer.json, expected);
  const [row] = await rowsOf(app);
  t.match(row, { HttpStatusCode: 400, HttpStatusReason: 'Bad Request', Method: `PUT ${managers.path}` });
  t.equal(row?.ValidationErrors.join('; '), answer.json, 'with its problems one by one');
}

t.test('every 400 is a JSON string', async (t) => {
  const app = await startTestApp(t, { settings });
  await send(app, sample);
  await refused(t, app, await app.call('PUT', managers.path), /body is empty|not valid JSON/);
  for (const body of ['', ' ', '{', 'null', '[]', '5', '{"ManagerRoles":[],"ManagerRoles":[]}', '{}'])
    await refused(t, app, await send(app, body), /^[^[{].*/);
  await refused(t, app, await send(app, Buffer.from([0x22, 0xff, 0x22])), /UTF-8/);
  await refused(
    t,
    app,
    await put(app, managers, 'x', { headers: { 'content-encoding': 'gzip' } }),
    /not valid gzip/,
  );
  await refused(t, app, await send(app, sample, '?dryrn=true'), /^Query parameter 'dryrn' is unknown/);
  await refused(t, app, await send(app, sample, '?dryRun=yes&x=1'), /.; ./);
  await refused(t, app, await send(app, managers.invalid), /DimensionName.*; .*DepartmentName/);
  const unknown = {
    ...(managers.body(1) as { ManagerRoles: object[] }).ManagerRoles[0],
    DimensionName: 'Galaxy',
  };
  await refused(t, app, await send(app, { ManagerRoles: [unknown] }), /DimensionName/);
  for (const [name, value] of [
    ['idempotency-key', '"'],
    ['if-match', 'five'],
  ] as const)
    await refused(t, app, await put(app, managers, sample, { headers: { [name]: value } }), /^Header/);
  const many = await send(app, { ManagerRoles: Array.from({ length: 50 }, () => ({})) });
  await refused(t, app, many, /; and \d+ more$/);
  t.equal((many.json as string).split('; ').length, 21);
  for (const count of [21, 50]) {
    const query = `?${Array.from({ length: count }, (_, i) => `a${i}=1`).join('&')}`;
    const asked = await send(app, sample, query);
    t.match(asked.json, new RegExp(`; and ${count - 20} more$`));
    t.equal((asked.json as string).split('; and').length, 2);
  }
  t.match((await app.call('GET', managers.setPath)).json, { Roles: { length: 2 } }, 'and changed nothing');
});

t.test('integration that is not enabled is refused before the body is looked at', async (t) => {
  const app = await startTestApp(t, { settings: { ...settings, integrationEnabled: false } });
  for (const body of ['{', sample])
    await refused(t, app, await send(app, body), /^Company integration is not allowed$/);
});

t.test('who may not, is answered 401 before the body is read', async (t) => {
  const app = await startTestApp(t, { settings });
  const before = await app.eventCount();
  for (const [path, token] of [
    [managers.path, null],
    [managers.path, app.token({ claims: { roles: [] } })],
    ['/v1.0/User/8/ManagerImport', app.token()],
    ['/v1.0/User/07/ManagerImport', app.token()],
    ['/v1.0/User/x/ManagerImport', app.token()],
  ] as const) {
    const answer = await app.call('PUT', path, { token, body: '{' });
    t.equal(answer.status, 401, path);
    t.same(answer.json, { Message: 'Authorization has been denied for this request.' });
    t.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
  t.equal(await app.eventCount(), before);
});

t.test('bodies over the limit, of other types, cut off, or slow', async (t) => {
  const app = await startTestApp(t, {
    settings,
    config: { managerBodyLimit: 2_000 },
    timeouts: { linger: 300, bodyProgress: 300 },
  });
  const padded = (length: number) => '{"ManagerRoles":[]}'.padEnd(length, ' ');
  const packed = { headers: { 'content-encoding': 'gzip' } };
  t.equal((await send(app, padded(2_000))).status, 200);
  t.equal((await put(app, managers, gzipSync(padded(2_000)), packed)).status, 200);
  const before = await app.eventCount();
  for (const body of [padded(2_001), 'x'.repeat(100_000)]) {
    const answer = await send(app, body);
    t.equal(answer.status, 413);
    t.match(answer.json, { Message: /2000 bytes/ });
    t.equal((await put(app, managers, gzipSync(body), packed)).status, 413);
  }
  const other = await put(app, managers, padded(50), { headers: { 'content-type': 'text/plain' } });
  t.equal(other.status, 415);
  t.equal(await app.eventCount(), before);
  const head = `PUT ${managers.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
  t.equal(statusOf(await sendRaw(app.port, [head, '{'])), 408);
  await sendRaw(app.port, [head, padded(50)], { halfClose: true });
  await app.projected();
  t.match(
    (await rowsOf(app)).map(({ HttpStatusCode }) => HttpStatusCode).filter((status) => status === 200),
    { length: 2 },
    'no smaller set is ever imported',
  );
});
