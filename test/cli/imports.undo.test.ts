import { newId, systemClock } from '@rollcall/application';
import { invitationEventExamples } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import tap from 'tap';
import { people, queue } from '../application/imports.support.js';
import { orderedRows } from '../support/ordered-rows.js';
import { installation, type Installation } from './imports.support.js';
import { append } from '../projector/projector.support.js';
import { objectOf, rollcallOn } from './rollcall.js';
import { exactly } from '../support/exactly.js';

/** The employees that GET would show, by number. */
async function shown({ adapters }: Installation): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const rows of orderedRows(adapters.readModels, { companyId: 7 }))
    for (const { number, row, date } of rows)
      found.push([number, JSON.parse(Buffer.from(row).toString()) as unknown, date]);
  return found;
}

async function imported(on: Installation, list: unknown): Promise<string> {
  const operation = await on.queue(list);
  await on.run();
  return operation;
}

const dated = (...ids: number[]) =>
  people(...ids).map((one) => ({ ...one, InvitationDate: '2030-01-01T00:00:00Z' }));

tap.test('an import is undone: shown first, then done, with words in the audit', async (t) => {
  const on = await installation(t);
  await imported(on, dated(1, 2, 3));
  const before = await shown(on);
  const wrong = await imported(on, people(3, 4));
  const undo = ['imports', 'undo', '--operation', wrong, '--reason', 'the wrong file'];

  const dry = await on.rollcall([...undo, '--dry-run']);
  t.same({ code: dry.code, err: dry.err }, { code: 0, err: '' });
  t.equal(
    dry.out,
    `Undoing import ${wrong} of the employees of company 7:\n` +
      '              count\ncome back     2\nchanged back  0\nremoved       1\n' +
      'Come back under their old numbers, without a new invitation: E-1, E-2.\n',
  );
  await on.project();
  t.notSame(await shown(on), before, 'nothing was done');

  const ran = await on.rollcall(undo);
  t.match(ran, { code: 0, err: '', out: /\nDone: import .* is undone by .*\.\n$/ });
  const operationId = /undone by (?<id>[0-9a-f-]+)/.exec(ran.out)?.groups?.['id'] ?? '';
  await on.project();
  t.same(await shown(on), before, 'numbers, values and dates');
  const row = objectOf(await on.rollcall(`imports show --operation ${operationId} --json`));
  t.match(row, {
    Method: `rollcall imports undo --operation ${wrong}`,
    Inserted: 2,
    Removed: 1,
    UserId: null,
  });

  const explained = await on.rollcall(`audit explain --operation ${wrong}`);
  t.match(
    explained.out,
    new RegExp(`followed +EmployeeSetReplaced .*${operationId}.* It undoes the import ${wrong}\\.`),
  );
  t.match(
    (await on.rollcall('audit log --company 7')).out,
    new RegExp(`undoes ${wrong} because "the wrong file"`),
  );
  const history = await on.rollcall('audit history --company 7 --employee E-1');
  t.match(history.out, new RegExp(`came back, undoing ${wrong}`));
  t.match(await on.rollcall('audit verify'), { code: 0 });

  const again = objectOf(await on.rollcall([...undo, '--json']));
  t.match(again, { undoes: wrong, inserted: 0, updated: 0, removed: 0 });
  t.match(
    (await on.rollcall(undo)).out,
    /\nNothing was left to undo: it is as before, or was changed later\.\n$/,
  );
  const back = objectOf(await on.rollcall(`imports undo --operation ${operationId} --reason sorry --json`));
  t.match(back, { undoes: operationId, inserted: 1, removed: 2 });
});

tap.test('an invitation that was sent is listed, and one that was not goes with its employee', async (t) => {
  const on = await installation(t);
  const operation = await imported(on, dated(1, 2));
  const place = { log: on.adapters.log, clock: systemClock };
  await append(place, invitations.invitationStream(7, 2), [
    { name: 'InvitationSending', data: invitationEventExamples.InvitationSending },
    { name: 'InvitationSent', data: invitationEventExamples.InvitationSent },
  ]);
  await on.project();
  const before = await shown(on);
  const ran = await rollcallOn(on.dataDir)([
    'imports',
    'undo',
    '--operation',
    operation,
    '--reason',
    'R',
    '--json',
  ]);
  t.match(ran, { code: 0, err: '' });
  t.match(objectOf(ran), { removed: 2, sent: { count: 1, named: exactly([{ id: '2', name: 'E-2' }]) } });
  await on.project();
  t.same([before.length, await shown(on)], [2, []]);
  const { invitations: rows } = objectOf(await on.rollcall('invitations list --company 7 --json'));
  t.match(
    rows,
    exactly([
      { Number: 1, State: 'Cancelled' },
      { Number: 2, State: 'Sent' },
    ]),
  );
});

tap.test('what cannot be undone is said, and why', async (t) => {
  const on = await installation(t);
  await imported(on, people(1, 2));
  const operation = await imported(on, people(1));
  await imported(on, people(1, 2));
  const undo = `imports undo --operation ${operation} --reason R`;
  const refused = await on.rollcall(undo);
  t.match(refused, { code: 1, out: '', err: /changed 1 of what import .* changed: E-2\. Use --force/ });
  t.match(await on.rollcall(`${undo} --force`), { code: 0, out: /Left alone.*: E-2\./ });
  const waiting = await on.queue(people(5));
  t.match(await on.rollcall(undo), { code: 1, err: new RegExp(`Import ${waiting} of company 7 is pending`) });
  t.match(await on.rollcall(`imports undo --operation ${waiting} --reason R`), {
    code: 1,
    err: /cancel it instead/,
  });
  t.match(await on.rollcall(`imports undo --operation ${operation}`), { code: 2, err: /--reason/ });
});

tap.test('an undo of managers names whom it locks, and in which dimension a role is', async (t) => {
  const on = await installation(t);
  const list = async (Email: string): Promise<string> => {
    const names = { FirstName: 'Ada', LastName: 'Took' };
    const role = { DimensionName: 'Department', DepartmentName: 'North', Email, ...names };
    const call = { method: 'PUT /v1.0/User/7/ManagerImport', context: { operationId: newId() } };
    const operation = await queue(on.engine, 'managers', { ManagerRoles: [role] }, call);
    await on.run();
    return operation;
  };
  await list('ada@example.com');
  const wrong = await list('eve@example.com');
  const undo = `imports undo --operation ${wrong} --reason wrong --dry-run`;
  t.match(objectOf(await on.rollcall(`${undo} --json`)), {
    usersLocked: { count: 1, named: exactly([{ id: 'user 2', name: 'eve@example.com' }]) },
  });
  t.match(await on.rollcall(undo), {
    out: /again: Department North ada@example\.com\.\nUsers who are locked: eve@example\.com\.\n$/,
  });
});
