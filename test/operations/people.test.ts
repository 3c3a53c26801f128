import {
  employeeTimeline,
  endedInvitations,
  findPeople,
  headcount,
  importActivity,
  importDifference,
  importLife,
  importsAttention,
  InvitationBoard,
  invitationActivity,
  invitedBy,
  knownCompanies,
  listImports,
  OpenInvitations,
  plannedIn,
  wholeDifference,
} from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import { projections } from '@rollcall/projector';
import t from 'tap';
import { failed, queued, started } from '../projector/import-events.support.js';
import { append, configured, employeeSet, openRig, projectAll } from '../projector/projector.support.js';
import { exactly } from '../support/exactly.js';

const day = 24 * 60 * 60_000;
const idAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
};

/** Three imports on three days: two join, one changes and comes, one leaves. The third was queued. */
async function lived(t: Parameters<typeof openRig>[0]) {
  const on = await openRig(t);
  const first = on.clock.at;
  const ids = [0, 1, 2, 3].map((days) => idAt(first + days * day));
  const happens = (at: number, events: DomainEvent[]) => {
    on.clock.at = first + at * day;
    const change = { operationId: ids[at] ?? '', receivedAt: new Date(on.clock.at).toISOString() };
    return append(on, 'company-7', events, change);
  };
  await append(on, 'company-7', configured(7, 'Acme'));
  const added = ['Bilbo', 'Frodo'].map((name, at) => ({
    number: at + 1,
    id: `E-${at + 1}`,
    name,
    due: '2026-11-21T10:00:00Z',
  }));
  await happens(0, [employeeSet({ added, total: 2, lastNumber: 2 })]);
  const more = {
    added: [{ number: 3, id: 'E-3', name: 'Sam' }],
    changed: [{ number: 1, id: 'E-1', name: 'Bungo' }],
  };
  await happens(1, [employeeSet({ ...more, total: 3, lastNumber: 3 })]);
  await happens(2, [queued(ids[2] ?? ''), employeeSet({ left: [2], total: 2, lastNumber: 3 })]);
  await append(on, `operation-${ids[2]}`, started(ids[2] ?? ''), { operationId: ids[2] ?? '' });
  await happens(3, [queued(ids[3] ?? ''), failed(ids[3] ?? '')]);
  await projectAll({ ...on, projections });
  return { ...on, ids, first };
}

const bounds = { until: Infinity, now: () => 0 };

t.test('the difference of one import, field by field and page by page', async (t) => {
  const on = await lived(t);
  const { imports } = await listImports(on.readModels, { companyId: 7, limit: 9 });
  t.strictSame(
    imports.map(({ state }) => state),
    ['failed', 'done', 'done', 'done'],
  );
  const [third = -1, second = -1] = imports.slice(1).map(({ revision }) => revision);
  const page = (revision = -1, part: 'added' | 'changed' | 'removed' = 'changed', skip = 0) =>
    importDifference(on, { companyId: 7, revision, part, skip, limit: 1, ...bounds });
  const changed = await page(second);
  t.strictSame(changed?.counts, { added: 1, changed: 1, renamed: 0, removed: 0, restored: 0 });
  t.strictSame(changed?.rows, [
    { Change: 'Updated', Id: 1, EmployeeID: 'E-1', Fields: { Firstname: { Old: 'Bilbo', New: 'Bungo' } } },
  ]);
  const rowsOf = async (...asked: Parameters<typeof page>) => (await page(...asked))?.rows;
  const added = await rowsOf(second, 'added');
  t.match(added, exactly([{ Id: 3, EmployeeID: 'E-3', Fields: { Firstname: { Old: null, New: 'Sam' } } }]));
  const removed = await rowsOf(third, 'removed');
  t.match(
    removed,
    exactly([{ Id: 2, EmployeeID: 'E-2', Fields: { Firstname: { Old: 'Frodo', New: null } } }]),
  );
  const dated = async (...asked: Parameters<typeof page>) =>
    (await rowsOf(...asked))?.map(({ Fields }) => 'InvitationDate' in Fields);
  t.strictSame([await dated(1, 'added'), await dated(third, 'removed')], [[true], [false]], 'as a dry run');
  t.strictSame(await rowsOf(second, 'changed', 1), []);
  const asked = { companyId: 7, revision: third, part: 'removed', skip: 0, limit: 1 } as const;
  const late = await importDifference(on, { ...asked, until: -1, now: () => 0 });
  t.strictSame(late?.rows, [{ Change: 'Removed', Id: 2, Fields: {} }]);
  t.equal(late?.withoutOld, 1);
  t.equal(await page(0), undefined, 'an event that replaces no set');
});

t.test('the whole difference of one import, in the order of its event', async (t) => {
  const on = await lived(t);
  const { imports } = await listImports(on.readModels, { companyId: 7, limit: 9 });
  const whole = async (revision = 0) => {
    const changes: string[] = [];
    for await (const { Change, Id, Fields } of (await wholeDifference(on, { companyId: 7, revision })) ?? [])
      changes.push(`${Change} ${Id} ${JSON.stringify(Fields['Firstname'])}`);
    return changes;
  };
  const [, third, second] = imports.map(({ revision }) => revision);
  t.strictSame(await whole(second), [
    'Inserted 3 {"Old":null,"New":"Sam"}',
    'Updated 1 {"Old":"Bilbo","New":"Bungo"}',
  ]);
  t.strictSame(await whole(third), ['Removed 2 {"Old":"Frodo","New":null}']);
  t.equal(await wholeDifference(on, { companyId: 7, revision: 0 }), undefined);
});

t.test("an employee's timeline, in pages", async (t) => {
  const { ids, ...on } = await lived(t);
  const rows = async (number: number, limit: number) => {
    const all: string[] = [];
    let from: number | undefined;
    do {
      const page = await employeeTimeline(on, { companyId: 7, number, limit, from, ...bounds });
      for (const { what, by, fields } of page.rows)
        all.push(
          `${what} ${ids.indexOf(by.operationId)} ${String(fields['Firstname']?.Old)}-${String(fields['Firstname']?.New)}`,
        );
      from = page.next;
    } while (from !== undefined);
    return all;
  };
  for (const limit of [1, 2, 9]) {
    t.strictSame(await rows(1, limit), ['changed 1 Bilbo-Bungo', 'joined 0 null-Bilbo']);
    t.strictSame(await rows(2, limit), ['left 2 Frodo-null', 'joined 0 null-Frodo']);
  }
  const { rows: late, next } = await employeeTimeline(on, {
    companyId: 7,
    number: 1,
    limit: 9,
    until: -1,
    now: () => 0,
  });
  t.strictSame([late, typeof next], [[], 'number'], 'it goes on from where it stopped');
});

t.test('people are found by address, name and EmployeeID, in any case', async (t) => {
  const { readModels } = await lived(t);
  const find = async (text: string) =>
    (await findPeople(readModels, 7, { text, limit: 5 })).map(({ number }) => number);
  t.strictSame(await find('BUNGO example'), [1]);
  t.strictSame(await find('bilbo'), [], 'as it was before');
  t.strictSame(await find('e-3'), [3]);
  t.strictSame(await find('Frodo'), [], 'who has left');
  t.strictSame(await find('Example'), [1, 3]);
  t.strictSame(await findPeople(readModels, 8, { text: 'Bungo', limit: 5 }), []);
});

t.test('people are found however their values are written', async (t) => {
  const on = await lived(t);
  const names = ['\u0393\u0399\u03a9\u03a1\u0393\u039f\u03a3', 'Jos\u00e9', 'Rene\u0301', 'Merry'];
  const added = names.map((name, at) => ({ number: at + 4, id: `E${'"\\'[at] ?? ''}${at}`, name }));
  await append(on, 'company-7', employeeSet({ added, total: 6, lastNumber: 7 }));
  await projectAll({ ...on, projections });
  const find = async (text: string) =>
    (await findPeople(on.readModels, 7, { text, limit: 5 })).map(({ number }) => number);
  for (const text of ['\u03b3\u03b9\u03c9\u03c1\u03b3\u03bf\u03c2', names[0] ?? '', 'e"0'])
    t.strictSame(await find(text), [4], text);
  for (const text of ['jos\u00e9', 'JOSE\u0301', 'e\\1']) t.strictSame(await find(text), [5], text);
  for (const text of ['ren\u00e9', 'RENE\u0301']) t.strictSame(await find(text), [6], text);
});

t.test('headcount, activity and what needs somebody', async (t) => {
  const { readModels, first, ids } = await lived(t);
  const moments = [-1, 0.5, 1.5, 2.5, 9].map((days) => first + days * day);
  t.strictSame(
    (await headcount(readModels, { companyId: 7, moments })).map(({ total }) => total),
    [0, 2, 3, 2, 2],
  );
  t.strictSame(await headcount(readModels, { companyId: 8, moments }), []);
  const edges = [0, 1, 2, 3, 4].map((days) => first + days * day);
  for (const companyId of [7, undefined]) {
    const { done, failed: bad } = await importActivity(readModels, { companyId, edges });
    t.strictSame(
      [done, bad],
      [
        [1, 1, 1, 0],
        [0, 0, 0, 1],
      ],
    );
  }
  const attention = await importsAttention(readModels, { since: first });
  t.match(attention.companies, exactly([{ companyId: 7, held: { length: 0 }, failed: 1 }]));
  t.strictSame(await importsAttention(readModels, { since: first + 4 * day }), { companies: [], looked: 0 });
  const known = await knownCompanies(readModels);
  t.match(known, exactly([{ companyId: 7, settings: { name: 'Acme' }, employees: 2, hold: undefined }]));
  t.match(await invitedBy(readModels, { companyId: 7, operationId: ids[0] ?? '', first: 1, now: first }), {
    planned: 2,
    counted: 2,
    states: { planned: 1, cancelled: 1 },
  });
});

t.test('the oldest import that waits, those behind a held one excluded', async (t) => {
  const on = await openRig(t);
  const counts = { inserted: 3, updated: 0, removed: 0, present: 3, limit: 5 };
  const [first = '', operationId = '', last = ''] = [0, 1, 2].map((days) => idAt(on.clock.at + days * day));
  const data = { operationId, kind: 'employees' as const, outcome: 'ab', ...counts };
  for (const id of [first, operationId, last]) await append(on, 'company-7', queued(id), { operationId: id });
  await append(on, 'company-7', { name: 'ImportHeld', data }, { operationId });
  await projectAll({ ...on, projections });
  const found = async () => (await importsAttention(on.readModels, { since: 0 })).companies;
  t.match(await found(), exactly([{ held: [{ operationId }], oldest: on.clock.at }]));
  await append(on, 'company-7', failed(first), { operationId: first });
  await projectAll({ ...on, projections });
  t.match(await found(), exactly([{ held: { length: 1 }, oldest: undefined }]));
});

t.test('invitations: waiting, sent and failed, the newest first', async (t) => {
  const on = await lived(t);
  const { readModels, first } = on;
  const dueAt = '2026-11-21T10:00:00Z';
  const sentAt = new Date(first + day).toISOString();
  const claim = { dueAt, until: sentAt, attempt: 1, messageId: 'm@example.com', startedAt: sentAt };
  await append(on, 'invitation-7-1', { name: 'InvitationSending', data: claim });
  await append(on, 'invitation-7-1', {
    name: 'InvitationSent',
    data: { dueAt, messageId: 'm@example.com', response: '', sentAt },
  });
  await append(on, 'invitation-7-3', {
    name: 'InvitationRequested',
    data: { dueAt, replaces: null, reason: null },
  });
  await projectAll({ ...on, projections });
  const now = first + 4 * day;
  const board = new InvitationBoard(readModels, () => Promise.resolve(new OpenInvitations()));
  const waiting = await board.waiting({ companyId: 7, now, limit: 9 });
  t.strictSame(
    waiting.due.map(({ Number: number, State }) => [number, State]),
    [[3, 'Due']],
  );
  let loads = 0;
  const load = () =>
    loads++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve(new OpenInvitations());
  const shared = new InvitationBoard(readModels, load);
  await t.rejects(shared.waiting({ companyId: 7, now: first, limit: 9 }), { message: 'away' });
  const looks = [first, now, now, first].map((at) => shared.waiting({ companyId: 7, now: at, limit: 9 }));
  const found = await Promise.all(looks);
  t.strictSame(found[1], waiting, 'after an outage, and beside others, it finds the same');
  t.strictSame(found[2], waiting);
  t.equal(loads, 2);
  const early = await new InvitationBoard(readModels, () => Promise.resolve(new OpenInvitations())).waiting({
    companyId: 7,
    now: first,
    limit: 9,
  });
  t.strictSame(plannedIn(early, [first, first + day]), [2]);
  on.clock.at = now;
  await append(on, 'invitation-7-3', {
    name: 'InvitationFailed',
    data: { dueAt, code: '550', problem: 'no mailbox' },
  });
  await projectAll({ ...on, projections });
  const ended = (ending: 'sent' | 'failed') =>
    endedInvitations(readModels, { companyId: 7, ending, now, limit: 1 });
  t.match(await ended('sent'), { rows: exactly([{ Number: 1, EndedAt: sentAt }]), next: undefined });
  t.match(await ended('failed'), {
    rows: exactly([
      { Number: 3, EmployeeID: 'E-3', LastError: { Code: '550' }, EndedAt: new Date(now).toISOString() },
    ]),
  });
  const edges = [first, first + 2 * day, now + 1];
  for (const companyId of [7, undefined, 8]) {
    const counts = (ending: 'sent' | 'failed') =>
      invitationActivity(readModels, { companyId, ending, edges });
    const ended = companyId === 8 ? 0 : 1;
    t.strictSame(
      [await counts('sent'), await counts('failed')],
      [
        [ended, 0],
        [0, ended],
      ],
    );
  }
});

t.test('the life of one import', async (t) => {
  const { log, readModels } = await lived(t);
  const { imports } = await listImports(readModels, { companyId: 7, limit: 9 });
  const lives = await Promise.all(imports.map((one) => importLife({ log, readModels }, one)));
  t.strictSame(
    lives.map(({ events }) => events.map(({ type }) => type)),
    [
      ['ImportQueued', 'ImportFailed'],
      ['ImportQueued', 'EmployeeSetReplaced', 'ImportStarted'],
      ['EmployeeSetReplaced'],
      ['EmployeeSetReplaced'],
    ],
  );
  t.equal(lives[0]?.queued?.elements, 2);
  t.equal(lives[2]?.queued, undefined);
});
