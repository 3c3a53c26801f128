import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { people, request } from '../application/imports.support.js';
import { installation, type Installation } from './imports.support.js';
import { objectOf, rollcallWithin } from './rollcall.js';
import { setAside } from '../support/set-aside.js';
import { exactly } from '../support/exactly.js';

const unknown = '019aa2f0-5c00-7000-8000-000000000001';

/** An import that a rule refused when it ran: integration was switched off meanwhile. */
async function failedImport(on: Installation): Promise<string> {
  const operation = await on.queue(people(1, 2));
  await on.rollcall('company configure --company 7 --integration off');
  await on.run();
  await on.rollcall('company configure --company 7 --integration on --reason again');
  await on.project();
  return operation;
}

tap.test('imports of every state are listed, newest first', async (t) => {
  const on = await installation(t);
  t.match(await on.rollcall('imports list'), { code: 0, err: '', out: /^operation +company .*\n$/ });
  const done = await on.queue(people(1, 2, 3));
  await on.run();
  const failed = await failedImport(on);
  const cancelled = await on.queue(people(4));
  await on.rollcall(['imports', 'cancel', '--operation', cancelled, '--reason', 'wrong\u001b[2J file']);
  await on.project();
  const first = await on.queue(people(5));
  const second = await on.queue(people(6));

  const { out, err, code } = await on.rollcall('imports list --company 7');
  t.same({ err, code }, { err: '', code: 0 });
  const lines = out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));
  const rows = new Map(
    lines.map(([operation, , created, status, call, outcome]) => [
      operation,
      { created, status, call, outcome },
    ]),
  );
  t.match(rows.get(done), {
    status: '200 OK',
    call: 'PUT /v1.0/Company/7/Employee',
    outcome: '3 inserted, 0 updated, 0 removed',
  });
  t.match(rows.get(failed), { status: '400 Bad Request', outcome: 'Company integration is not allowed' });
  t.match(rows.get(cancelled), { status: '409 Conflict', outcome: 'Cancelled: wrong\\u{1b}[2J file' });
  t.match(rows.get(second), {
    status: '202 Accepted',
    call: 'PUT /v1.0/Company/7/Employee',
    outcome: undefined,
  });
  t.equal(rows.size, 5);

  const list = async (words: string): Promise<unknown[]> => {
    const { imports } = objectOf(await on.rollcall(`imports list --json ${words}`));
    return (imports as { ApiOperationId: string }[]).map(({ ApiOperationId }) => ApiOperationId);
  };
  const all = [done, failed, cancelled, first, second].sort().reverse();
  t.same(await list(''), all, 'of all companies');
  t.same(await list('--top 2'), all.slice(0, 2));
  t.same(await list('--state done'), [done]);
  t.same(await list('--state failed'), [failed]);
  t.same(await list('--state cancelled'), [cancelled]);
  t.same((await list('--state pending')).sort(), [first, second].sort());
  t.same((await list('--state pending --top 1')).length, 1);
  const { imports } = objectOf(await on.rollcall('imports list --json --state failed'));
  t.match(imports, exactly([{ companyId: 7, status: 'failed', HttpStatusCode: 400, problems: 1 }]));
  t.notMatch(JSON.stringify(imports), /ValidationErrors/);
});

tap.test('one import is shown, with its errors, its place in the queue and its attempts', async (t) => {
  const on = await installation(t);
  const failed = await failedImport(on);
  const first = await on.queue(people(1));
  const second = await on.queue(people(1, 2), { ifMatch: null });

  const shown = await on.rollcall(`imports show --operation ${failed.toUpperCase()}`);
  t.match(shown, { code: 0, err: '' });
  t.match(shown.out, new RegExp(`^Import ${failed} of company 7\\n`));
  t.match(shown.out, /\n {2}status {5}400 Bad Request\n/);
  t.match(shown.out, /\n {2}caller {5}user 42 "HR system"\n/);
  t.match(shown.out, /\n {2}body {7}2 elements, \d+ bytes, kept\n/);
  t.match(shown.out, /\n {2}error {6}Company integration is not allowed\n/);
  t.match(shown.out, /\n {2}\d{4}-\S+Z Attempt 1: started\n/);
  t.notMatch(shown.out, /queue|retry of|if-match/);

  t.match((await on.rollcall(`imports show --operation ${second}`)).out, /\n {2}queue {6}1 before it\n/);
  t.match(objectOf(await on.rollcall(`imports show --operation ${second} --json`)), {
    ApiOperationId: second,
    companyId: 7,
    status: 'pending',
    HttpStatusReason: 'Accepted',
    ValidationErrors: { length: 0 },
    queue: { elements: 2, before: 1, bodyKept: true, retryOf: null },
    history: { length: 0 },
  });
  await on.run();
  await on.adapters.log.deleteStream(`payload-${first}`);
  t.match(objectOf(await on.rollcall(`imports show --operation ${first} --json`)), {
    status: 'done',
    queue: { before: null, bodyKept: false },
    history: exactly([{ at: /Z$/, text: 'Attempt 1: started' }]),
  });

  const direct = await on.engine.accept(request('employees', people(1)));
  if (direct.kind !== 'done') throw new Error(direct.kind);
  await on.project();
  t.match(objectOf(await on.rollcall(`imports show --operation ${direct.operationId} --json`)), {
    status: 'done',
    queue: null,
  });
  t.match(await on.rollcall(`imports show --operation ${unknown}`), {
    code: 1,
    out: '',
    err: /no import 019aa2f0/,
  });
});

tap.test('a pending import is cancelled, and nothing else', async (t) => {
  const on = await installation(t);
  const done = await on.queue(people(1));
  await on.run();
  const operation = await on.queue(people(2));
  const command = `imports cancel --operation ${operation}`;
  t.match(objectOf(await on.rollcall(`${command} --json`)), {
    operationId: operation,
    companyId: 7,
    cancelled: true,
  });
  t.match(await on.rollcall(command), { code: 1, out: '', err: /is cancelled already: only a pending one/ });
  t.match(await on.rollcall(`imports cancel --operation ${done}`), {
    code: 1,
    err: /was carried out: only a pending/,
  });
  t.match(await on.rollcall(`imports cancel --operation ${unknown}`), { code: 1, err: /There is no import/ });
  const direct = await on.engine.accept(request('employees', people(1)));
  if (direct.kind !== 'done') throw new Error(direct.kind);
  await on.project();
  t.match(await on.rollcall(`imports cancel --operation ${direct.operationId}`), {
    code: 1,
    err: /was never queued/,
  });
  await on.run();
  const { out } = await on.rollcall('audit log --company 7 --type ImportCancelled');
  t.match(out, /^\S+ ImportCancelled company-7@4 by "cli:/);
});

tap.test('an import that failed is tried again', async (t) => {
  const on = await installation(t);
  const failed = await failedImport(on);
  const retry = `imports retry --operation ${failed}`;
  const retried = objectOf(
    await on.rollcall([...retry.split(' '), '--reason', 'integration is on again', '--json']),
  );
  t.match(retried, { companyId: 7, retryOf: failed });
  const again = String(retried['operationId']);
  t.not(again, failed);
  await on.project();
  t.match(await on.rollcall(`imports retry --operation ${again}`), {
    code: 1,
    err: /is pending: only one that failed/,
  });
  t.match(objectOf(await on.rollcall(`imports show --operation ${again} --json`)), {
    UserId: null,
    Username: /^cli:/,
    Method: 'PUT /v1.0/Company/7/Employee',
    queue: { retryOf: failed, elements: 2 },
  });
  await on.run();
  t.match(objectOf(await on.rollcall(`imports show --operation ${again} --json`)), {
    status: 'done',
    Inserted: 2,
  });
  t.match(await on.rollcall(retry), {
    code: 1,
    out: '',
    err: /newer set was accepted since, at company-7@\d+: .*--force/,
  });
  t.match(await on.rollcall(`${retry} --force`), {
    code: 0,
    err: '',
    out: /is queued again, as [0-9a-f-]{36}\.\n$/,
  });
  t.match((await on.rollcall('audit log --company 7')).out, / because "integration is on again"\n/);
});

tap.test('what cannot be tried again says why', async (t) => {
  const on = await installation(t);
  const failed = await failedImport(on);
  await on.rollcall('company configure --company 7 --integration off');
  const retry = `imports retry --operation ${failed}`;
  t.match(await on.rollcall(retry), { code: 1, err: /company configure --company 7 --integration on/ });
  await on.rollcall('company configure --company 7 --integration on --reason again');
  await on.adapters.log.deleteStream(`payload-${failed}`);
  t.match(await on.rollcall(retry), { code: 1, err: /body of import .* is gone/ });
  const pending = await on.queue(people(3));
  t.match(await on.rollcall(`imports retry --operation ${pending}`), {
    code: 1,
    err: /is pending: only one that failed, was cancelled or rejected can be tried again/,
  });
  t.match(await on.rollcall(`imports retry --operation ${unknown}`), { code: 1, err: /There is no import/ });
});

tap.test('an import with an If-Match that no longer fits is tried again only by force', async (t) => {
  const on = await installation(t);
  await on.engine.accept(request('employees', people(1)));
  await on.queue(people(1, 2));
  const old = await on.queue(people(3), { ifMatch: [1] });
  await on.run();
  const shown = (await on.rollcall(`imports show --operation ${old}`)).out;
  t.match(shown, /\n {2}status {5}412 Precondition Failed\n/);
  t.match(shown, /\n {2}if-match {3}1\n/);
  const retry = `imports retry --operation ${old}`;
  const err = /was for the set of revision 1, which is at 4 now. Use --force/;
  t.match(await on.rollcall(retry), { code: 1, out: '', err });
  t.match(await on.rollcall(`${retry} --force`), { code: 0, err: '' });
  await on.run();
  t.match(objectOf(await on.rollcall('imports list --json --top 1')), {
    imports: exactly([{ status: 'done', Inserted: 1 }]),
  });
});

tap.test('read models that are behind, or have stopped, are told', async (t) => {
  const on = await installation(t);
  const operation = await on.queue(people(1));
  await on.rollcall(`imports cancel --operation ${operation}`);
  const shown = await on.rollcall(`imports show --operation ${operation} --json`);
  t.match(shown, { code: 0, err: /behind the log/ });
  t.match(objectOf(shown), { status: 'pending' });
  await on.project();
  await setAside(on.adapters.readModels, { stream: 'company-7', revision: 2, problem: 'its shape' });
  t.match(await on.rollcall('imports list'), {
    code: 0,
    err: 'The projection of company-7 stopped at revision 2: what is shown of it may be old.\n',
  });
});

tap.test('read models of another log are shown to nobody', async (t) => {
  const other = await installation(t);
  const operation = await other.queue(people(1));
  const dataDir = join(other.dataDir, 'data');
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  rmSync(join(dataDir, 'read-models'), { recursive: true });
  cpSync(join(other.dataDir, 'read-models'), join(dataDir, 'read-models'), { recursive: true });
  for (const words of [
    ...['imports list', `imports show --operation ${operation}`, 'imports watch --company 7'],
    ...['invitations list --company 7', 'invitations resend --company 7 --employee E-1'],
  ])
    t.match(await rollcall(words), { code: 1, out: '', err: /run rollcall projections rebuild/ }, words);
  t.match(await rollcall('projections status'), { code: 1, out: /they are not of this log/ });
  t.match(await rollcall('status'), { code: 1, out: /read models cannot be read/ });
  t.match(await rollcall('audit verify'), { code: 1, err: /projections rebuild/ });
  t.match(await rollcall('projections rebuild'), { code: 0, err: '' });
  t.match(await rollcall('imports list'), { code: 0, err: '' });
});

tap.test('wrong use', async (t) => {
  const on = await installation(t);
  for (const [words, err] of [
    ['imports', /Usage/],
    ['imports list --state lost', /pending, held, done, failed, cancelled, rejected/],
    ['imports list --top 0', /integer/],
    ['imports show', /--operation/],
    ['imports cancel --operation 7', /ApiOperationId/],
    ['imports watch', /--operation <id>' and '--company <id>' is needed/],
    [`imports watch --company 7 --operation ${unknown}`, /cannot be used with/],
  ] as const)
    t.match(await on.rollcall(words), { code: 2, out: '', err }, words);
});

tap.test('an approval says that an import is decided anew where settings were changed', async (t) => {
  const on = await installation(t);
  await on.rollcall('company configure --company 7 --batch-limit 25 --batch-limit-from 0 --over-limit hold');
  const operation = await on.queue(people(1));
  await on.run();
  t.match(await on.rollcall(`imports show --operation ${operation}`), {
    out: /Attempt 1: ended early: its worker was told to end, or the import is held/,
  });
  await on.rollcall('company configure --company 7 --name Another');
  const approve = `imports approve --operation ${operation} --reason checked`;
  t.match(await on.rollcall(approve), {
    code: 0,
    out: /approved: it is decided anew under the changed settings, and/,
  });
  await on.run();
  t.match(await on.rollcall(approve), { code: 0, out: /approved: it is carried out now/ });
});
