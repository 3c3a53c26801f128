import {
  allEvents,
  causeTree,
  employeeHistory,
  eventFilter,
  explainOperation,
  findEmployee,
  type EventFilter,
  type HistoryRow,
} from '@rollcall/application';
import { invitationEventExamples } from '@rollcall/contracts';
import fc from 'fast-check';
import tap, { type Test } from 'tap';
import { cancelled, queued } from '../projector/import-events.support.js';
import { append, context, openRig, refused, type Rig } from '../projector/projector.support.js';
import { scoped } from '../support/rig.js';
import { appendHistory, hash, histories, type Past } from './audit.support.js';
import { exactly } from '../support/exactly.js';

const of = (number: number) => ({ companyId: 7, employeeId: `E"${number}` });

/** What one person was at each revision where that changed, by the states of the model. */
function modelled(past: readonly Past[], number: number): unknown[] {
  const digests = past.map(({ people }) => people.get(number)?.digest);
  return digests.flatMap((digest, revision) => {
    const before = digests[revision - 1];
    return digest === before ? [] : [{ revision, before, after: digest }];
  });
}

const found = (rows: readonly HistoryRow[]): unknown[] =>
  rows.flatMap(({ by: { revision }, fields }) => {
    const { before, after } = fields.find(({ field }) => field === 'digest') ?? {};
    return before === after ? [] : [{ revision, before, after }];
  });

tap.test('the history of an employee agrees with the states', async (t) => {
  const check = async (plans: Parameters<typeof appendHistory>[1]): Promise<void> =>
    scoped(async (scope) => {
      const rig = await openRig(scope);
      const past = await appendHistory(rig, plans);
      for (const number of [1, 2, 5])
        t.strictSame(
          found(await employeeHistory(rig.log, of(number))),
          modelled(past, number),
          String(number),
        );
    });
  await fc.assert(fc.asyncProperty(histories, check), { numRuns: 15 });
});

const nobody = { added: [], changed: [], left: [], minutes: 1 };

async function withInvitation(t: Test): Promise<Rig> {
  const rig = await openRig(t);
  await appendHistory(rig, [
    { ...nobody, added: ['Jo', 'Al'] },
    { ...nobody, changed: [0] },
  ]);
  await append(rig, 'invitation-7-1', {
    name: 'InvitationSent',
    data: invitationEventExamples.InvitationSent,
  });
  rig.clock.at += 60_000;
  await append(rig, 'company-7', { name: 'InvitationsHeld', data: { reason: null } }, { userId: 4 });
  return rig;
}

tap.test('values are masked, field names, calls and invitations are shown', async (t) => {
  const rig = await withInvitation(t);
  const rows = await employeeHistory(rig.log, of(1));
  t.match(
    rows,
    exactly([
      { number: 1, what: 'added', by: { revision: 1, username: 'HR system', userId: 3 } },
      {
        number: 1,
        what: 'changed',
        fields: [{ field: 'digest' }, { field: 'Firstname', before: '***', after: '***' }],
      },
      { number: 1, what: 'InvitationSent', by: { stream: 'invitation-7-1' } },
    ]),
  );
  t.notMatch(JSON.stringify(rows), /"Jo"|e1@/);
  const [, changed] = await employeeHistory(rig.log, of(1), { reveal: true });
  t.match(changed?.fields[1], { before: 'Jo', after: '1-2' });
  t.strictSame(await employeeHistory(rig.log, { companyId: 7, employeeId: 'nobody' }), []);
});

tap.test('filters of the log', async (t) => {
  const rig = await withInvitation(t);
  const filtered = async (filter: EventFilter, employeeId?: string): Promise<string[]> => {
    const employee = employeeId === undefined ? undefined : { companyId: 7, employeeId };
    const isWanted = eventFilter(filter, employee && (await findEmployee(rig.log, employee)));
    const names: string[] = [];
    for await (const event of allEvents(rig.log)) if (await isWanted(event)) names.push(event.name);
    return names;
  };
  const sets = ['EmployeeSetReplaced', 'EmployeeSetReplaced'];
  t.strictSame(await filtered({}), ['CompanyConfigured', ...sets, 'InvitationSent', 'InvitationsHeld']);
  t.strictSame(await filtered({ company: 7 }, 'E"1'), [...sets, 'InvitationSent']);
  t.strictSame(await filtered({ company: 7 }, 'E"2'), ['EmployeeSetReplaced']);
  t.strictSame(await filtered({ user: 4 }), ['InvitationsHeld']);
  t.strictSame(await filtered({ company: 8 }), []);
  const last = await rig.log.readLast('company-7');
  const operation = /"operationId":"([^"]+)"/.exec(Buffer.from(last?.metadata ?? []).toString())?.[1];
  t.strictSame(await filtered({ operation }), ['InvitationsHeld']);
});

tap.test('an InvitationDate counts when it comes: later values have none', async (t) => {
  const rig = await openRig(t);
  const valuesOf = (Firstname: string, more: object = {}) => ({
    ...{ EmployeeID: 'E-1', Firstname, Lastname: 'Doe', Email: 'e1@example.com', EmploymentStatus: 1 },
    ...more,
  });
  const person = { number: 1, idDigest: hash('E-1'), digest: hash('Jo'), invitationDue: null };
  const dated = { ...person, values: valuesOf('Jo', { InvitationDate: '2030-12-01T08:00:00Z' }) };
  const appended = (inserted: number, more: object) =>
    append(rig, 'company-7', {
      name: 'EmployeeSetReplaced',
      data: {
        ...{ operationId: context().operationId, bodySha256: 'ab'.repeat(32), digestVersion: 1, inserted },
        ...{ updated: 1 - inserted, removed: 0, total: 1, lastNumber: 1, setDigest: '0'.repeat(32) },
        ...{ added: [], changed: [], left: [], restored: [], ...more },
      },
    });
  await appendHistory(rig, []);
  await appended(1, { added: [dated] });
  await appended(0, { changed: [{ number: 1, digest: hash('Al'), values: valuesOf('Al') }] });
  const rows = await employeeHistory(rig.log, { companyId: 7, employeeId: 'E-1' });
  const named = rows.map(({ fields }) => fields.some(({ field }) => field === 'InvitationDate'));
  t.strictSame(named, [true, false]);
});

tap.test('an EmployeeID that a rename has given has the whole history of its holder', async (t) => {
  const rig = await openRig(t);
  await appendHistory(rig, [{ ...nobody, added: ['Jo', 'Al'] }]);
  const [digest, idDigest] = [hash('renamed'), hash('N-1')];
  const values = { EmployeeID: 'N-1', Firstname: 'Jo', Lastname: 'Doe', Email: 'e1@example.com' };
  const renamed = {
    ...{ operationId: context().operationId, bodySha256: 'ab'.repeat(32), digestVersion: 1 },
    ...{ inserted: 0, updated: 1, removed: 0, total: 2, lastNumber: 2, setDigest: '0'.repeat(32) },
    added: [],
    changed: [{ number: 1, idDigest, digest, values: { ...values, EmploymentStatus: 1 } }],
    ...{ left: [], restored: [] },
  };
  await append(rig, 'company-7', { name: 'EmployeeSetReplaced', data: renamed });
  for (const employeeId of ['E"1', 'N-1']) {
    const rows = await employeeHistory(rig.log, { companyId: 7, employeeId });
    t.match(rows, exactly([{ what: 'added' }, { what: 'changed' }]), employeeId);
    const isWanted = eventFilter({}, await findEmployee(rig.log, { companyId: 7, employeeId }));
    const names: string[] = [];
    for await (const event of allEvents(rig.log)) if (await isWanted(event)) names.push(event.name);
    t.strictSame(names, ['EmployeeSetReplaced', 'EmployeeSetReplaced'], employeeId);
  }
});

tap.test('what a call did, why, and what followed', async (t) => {
  const rig = await openRig(t);
  await appendHistory(rig, []);
  const [first, second, third] = [context(), context(), context()];
  await append(rig, 'company-7', queued(first.operationId, { elements: 2_000 }), first);
  await append(rig, 'company-7', queued(second.operationId), second);
  await append(rig, 'company-7', cancelled(first.operationId), third);
  await append(rig, 'company-7', queued(third.operationId, { retryOf: first.operationId }), third);
  const explained = await explainOperation(rig.log, first.operationId);
  t.match(explained, { operationId: first.operationId, companyId: 7, receivedAt: first.receivedAt });
  t.match(
    explained?.events,
    exactly([
      {
        role: 'did',
        type: 'ImportQueued',
        why: /2000 elements, and 1000 or more are queued/,
        facts: { elements: 2_000 },
      },
      { role: 'followed', type: 'ImportCancelled' },
      { role: 'followed', type: 'ImportQueued', why: /repeats the import/ },
    ]),
  );
  const waited = await explainOperation(rig.log, second.operationId);
  t.match(
    waited?.events,
    exactly([{ why: `Queued: the import ${first.operationId} was pending, and imports run in order.` }]),
  );
  t.equal(await explainOperation(rig.log, context().operationId), undefined);
});

tap.test('why an import was queued, as far as the log shows it', async (t) => {
  const rig = await openRig(t);
  await appendHistory(rig, []);
  const calls = [4, 5, 5, 4, 6].map((userId) => context({ userId }));
  const [list, managers] = calls.map(({ operationId }) => operationId);
  const whys: (string | undefined)[] = [];
  for (const [index, call] of calls.entries()) {
    const { operationId } = call;
    const payload = { stream: `payload-${operationId}`, count: 1, bytes: 418, sha256: 'ab'.repeat(32) };
    const elements = index === 2 ? 200 : 2;
    const kind = index === 0 ? 'employees' : 'managers';
    await append(rig, 'company-7', queued(operationId, { kind, payload, elements }), call);
    whys.push((await explainOperation(rig.log, operationId))?.events[0]?.why);
  }
  const asked = 'Queued: the caller asked for it,';
  const kept = 'or other calls of the company kept coming first.';
  t.strictSame(whys, [
    `${asked} its body of 418 bytes is large, ${kept}`,
    `${asked} ${kept}`,
    'Queued: it has 200 elements, and 200 or more are queued.',
    `Queued: the import ${list} was pending, and imports run in order.`,
    `Queued: the import ${managers} was pending, and imports run in order.`,
  ]);
});

tap.test('an import is queued to be approved only where it was held as it came', async (t) => {
  const rig = await openRig(t);
  await appendHistory(rig, []);
  const hold = {
    kind: 'employees' as const,
    outcome: 'ab',
    inserted: 3,
    updated: 0,
    removed: 0,
    present: 3,
    limit: 5,
  };
  const why = async (minutes: number): Promise<unknown> => {
    const call = context();
    await append(rig, 'company-7', queued(call.operationId, { elements: 2_000 }), call);
    rig.clock.at += minutes * 60_000;
    const data = { ...hold, operationId: call.operationId };
    await append(rig, 'company-7', { name: 'ImportHeld', data }, call);
    return (await explainOperation(rig.log, call.operationId))?.events[0]?.why;
  };
  t.match(await why(1), /2000 elements/);
  t.equal(await why(0), 'Queued: it waits to be approved.');
});

tap.test('a refused call, and the mails of those whom a call has added', async (t) => {
  const rig = await withInvitation(t);
  const call = context();
  await append(rig, `operation-${call.operationId}`, refused(["[0] EmployeeID 'A'17': Email is 'x'"]), call);
  const errors = async (reveal: boolean): Promise<unknown> =>
    (await explainOperation(rig.log, call.operationId, { reveal }))?.events[0]?.facts['validationErrors'];
  t.strictSame(await errors(false), ["[0] EmployeeID '***'"]);
  t.strictSame(await errors(true), ["[0] EmployeeID 'A'17': Email is 'x'"]);
  const due = '2026-11-21T10:00:00.000Z';
  const added = await rig.log.readLast('company-7');
  t.ok(added);
  const entry = (number: number) => ({
    ...{
      number,
      idDigest: 'ab'.repeat(16),
      digest: 'cd'.repeat(16),
      invitationDue: number === 9 ? null : due,
    },
    values: {
      EmployeeID: `N${number}`,
      Firstname: 'A',
      Lastname: 'B',
      Email: 'c@example.com',
      EmploymentStatus: 1,
    },
  });
  const set = { total: 3, lastNumber: 9, setDigest: '0'.repeat(32), inserted: 3, updated: 0, removed: 0 };
  const importing = context();
  const { operationId } = importing;
  const summary = { operationId, bodySha256: 'ab'.repeat(32), digestVersion: 1, ...set };
  const data = { ...summary, added: [7, 8, 9].map(entry), changed: [], left: [], restored: [] };
  await append(rig, 'company-7', { name: 'EmployeeSetReplaced', data }, importing);
  await append(rig, 'invitation-7-7', {
    name: 'InvitationSent',
    data: invitationEventExamples.InvitationSent,
  });
  await append(rig, 'invitation-7-1', {
    name: 'InvitationSent',
    data: invitationEventExamples.InvitationSent,
  });
  const explained = await explainOperation(rig.log, operationId);
  t.strictSame(explained?.invitations, { planned: 1, InvitationSent: 1 });
  t.match(explained?.events[0]?.facts, { inserted: 3, total: 3 });
});

tap.test('causes as a tree', async (t) => {
  const event = (id: string, operationId: string, causationId: string | null = null) => ({
    id,
    metadata: { operationId, causationId },
  });
  const events = [
    event('a', 'one'),
    event('b', 'two'),
    event('c', 'one'),
    event('d', 'three', 'c'),
    event('e', 'two'),
  ];
  t.strictSame(
    causeTree(events).map(({ event: { id }, depth }) => `${id}${depth}`),
    ['a0', 'c1', 'd2', 'b0', 'e1'],
  );
});
