import { systemClock, type Clock } from '@rollcall/application';
import type { DomainEvent, Invitation } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import t, { type Test } from 'tap';
import { append } from '../projector/projector.support.js';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { exactly } from '../support/exactly.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const path = `/v1.0/Company/${companyId}/Invitations`;
const past = '2026-01-05T07:00:00Z';
const future = '2126-01-05T07:00:00Z';
const until = '2126-01-05T07:10:00.000Z';

const employee = (EmployeeID: string, more: object = {}) => ({
  EmployeeID,
  Firstname: 'Ann',
  Lastname: 'Example',
  Email: `${EmployeeID}@example.com`,
  EmploymentStatus: 0,
  ...more,
});

const people = [
  employee('planned', { InvitationDate: future }),
  employee('due', { InvitationDate: past }),
  ...['sending', 'deferred', 'sent', 'failed', 'cancelled', 'left', 'again'].map((id) => employee(id)),
];
const numberOf = (id: string): number => people.findIndex(({ EmployeeID }) => EmployeeID === id) + 1;

const messageId = 'm-1@example.com';
const claim = { dueAt: past, until, attempt: 1, messageId, startedAt: past };
const sending: DomainEvent = { name: 'InvitationSending', data: claim };
const sent = (sentAt: string, id = messageId): DomainEvent => ({
  name: 'InvitationSent',
  data: { dueAt: until, messageId: id, response: '250 Ok', sentAt },
});
const problem = { code: '451 4.7.1', problem: 'Later' };

/** What happens to the invitations. */
const histories: Readonly<Record<string, readonly DomainEvent[]>> = {
  sending: [sending],
  deferred: [
    sending,
    { name: 'InvitationDeferred', data: { dueAt: until, nextAttemptAt: future, ...problem } },
  ],
  sent: [sending, sent('2026-01-05T07:00:01.000Z')],
  failed: [sending, { name: 'InvitationFailed', data: { dueAt: until, ...problem } }],
  cancelled: [{ name: 'InvitationCancelled', data: { dueAt: past, reason: null } }],
  again: [
    sending,
    sent('2026-01-05T07:00:01.000Z'),
    { name: 'InvitationRequested', data: { dueAt: future, replaces: null, reason: 'Lost' } },
  ],
};

async function begun(t: Test, clock: Clock = systemClock): Promise<TestApp> {
  const app = await startTestApp(t, { clock });
  const answer = await app.call('PUT', employees, { body: people });
  t.equal(answer.status, 200, answer.text);
  const place = { log: app.adapters.log, clock: systemClock };
  for (const [id, events] of Object.entries(histories))
    await append(place, invitations.invitationStream(companyId, numberOf(id)), events);
  const left = await app.call('PUT', employees, {
    body: people.filter(({ EmployeeID }) => EmployeeID !== 'left'),
  });
  t.equal(left.status, 200);
  await app.projected();
  return app;
}

const rowsOf = (json: unknown): Invitation[] => json as Invitation[];

t.test('invitations', async (t) => {
  const app = await begun(t);
  const rows = rowsOf((await app.call('GET', path)).json);

  t.test('are listed by the number of the employee, with their states', async (t) => {
    t.same(
      rows.map(({ Number, EmployeeID, State }) => [Number, EmployeeID, State]),
      [
        [1, 'planned', 'Planned'],
        [2, 'due', 'Due'],
        [3, 'sending', 'Sending'],
        [4, 'deferred', 'Deferred'],
        [5, 'sent', 'Sent'],
        [6, 'failed', 'Failed'],
        [7, 'cancelled', 'Cancelled'],
        [8, undefined, 'Cancelled'],
        [9, 'again', 'Planned'],
      ],
    );
    t.same(rows[0], {
      Number: 1,
      EmployeeID: 'planned',
      State: 'Planned',
      DueAt: future,
      Attempts: 0,
      LastError: null,
      SentAt: null,
      MessageId: null,
    });
    const LastError = { Code: '451 4.7.1', Problem: 'Later' };
    t.match(rows[3], { DueAt: future, Attempts: 1, LastError, MessageId: messageId, SentAt: null });
    t.match(rows[4], { DueAt: past, Attempts: 1, LastError: null, SentAt: '2026-01-05T07:00:01.000Z' });
    t.match(rows[5], { Attempts: 1, LastError });
    t.match(rows[8], { DueAt: future, Attempts: 0, SentAt: null, MessageId: null }, 'a new round');
  });

  t.test('come in pages and by state', async (t) => {
    const seen: unknown[] = [];
    let next: string | undefined = `${path}?Top=4`;
    for (let pages = 0; next !== undefined && pages < 9; pages++) {
      const answer = await app.call('GET', next);
      seen.push(...rowsOf(answer.json));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    t.same(seen, rows);
    const cancelled = await app.call('GET', `${path}?state=Cancelled&top=1`);
    t.match(cancelled.json, exactly([{ Number: 7 }]));
    t.equal(cancelled.headers.get('link'), `<${path}?State=Cancelled&Top=1&After=7>; rel="next"`);
    const last = await app.call('GET', `${path}?State=Cancelled&Top=1&After=7`);
    t.match([last.json, last.headers.get('link')], exactly([[{ Number: 8 }], null]));
    t.same((await app.call('GET', `${path}?After=9`)).json, []);
    t.same((await app.call('GET', `${path}?After=0`)).json, rows);
  });

  t.test('refuse what they do not know', async (t) => {
    const answer = await app.call('GET', `${path}?State=Late&Top=0&After=x`);
    t.equal(answer.status, 400);
    t.same((answer.json as { ValidationErrors: unknown }).ValidationErrors, [
      "Query parameter 'State' must be one of Planned, Due, Held, Sending, Deferred, Sent, Failed, Cancelled",
      "Query parameter 'Top' must be an integer from 1 to 1000",
      "Query parameter 'After' must be an integer from 0 to 9007199254740991",
    ]);
    t.equal((await app.call('GET', path, { token: app.token({ claims: { roles: [] } }) })).status, 401);
    t.equal((await app.call('GET', '/v1.0/Company/8/Invitations')).status, 401);
  });

  t.test('tell the moment of the first mail in the rows of employees', async (t) => {
    const dates = (json: unknown): Record<string, unknown> =>
      Object.fromEntries(
        (json as { EmployeeID: string; FirstInvitationDate: unknown }[])
          .filter(({ FirstInvitationDate }) => FirstInvitationDate !== null)
          .map(({ EmployeeID, FirstInvitationDate }) => [EmployeeID, FirstInvitationDate]),
      );
    const expected = { sent: '2026-01-05T07:00:01.000Z', again: '2026-01-05T07:00:01.000Z' };
    const all = await app.call('GET', employees);
    t.same(dates(all.json), expected);
    t.same(dates((await app.call('GET', `${employees}?Top=100`)).json), expected);
    const again = await app.call('PUT', employees, { body: all.json });
    t.match(again.json, { Inserted: 0, Updated: 0, Removed: 0 }, 'what GET gave changes nothing');
  });

  t.test('that wait are held, and released', async (t) => {
    const place = { log: app.adapters.log, clock: systemClock };
    const data = { reason: null };
    const states = async (): Promise<unknown> => {
      await app.projected();
      return rowsOf((await app.call('GET', path)).json).map(({ State }) => State);
    };
    const before = await states();
    await append(place, `company-${companyId}`, { name: 'InvitationsHeld', data });
    t.same(await states(), [
      ...['Held', 'Held', 'Sending', 'Held', 'Sent', 'Failed', 'Cancelled', 'Cancelled', 'Held'],
    ]);
    await append(place, `company-${companyId}`, { name: 'InvitationsReleased', data });
    t.same(await states(), before);
  });

  t.test('are not being sent any more once the claim is over', async (t) => {
    const place = { log: app.adapters.log, clock: systemClock };
    const stream = invitations.invitationStream(companyId, numberOf('sending'));
    const data = { ...claim, until: '2026-01-05T07:10:00.000Z', attempt: 2 };
    await append(place, stream, [{ name: 'InvitationSending', data }]);
    const state = async (): Promise<unknown> => {
      await app.projected();
      return rowsOf((await app.call('GET', path)).json)[2]?.State;
    };
    t.equal(await state(), 'Due');
    await append(place, `company-${companyId}`, { name: 'InvitationsHeld', data: { reason: null } });
    t.equal(await state(), 'Held');
  });
});

t.test('without auto-invite none is planned unless its date is given', async (t) => {
  const app = await startTestApp(t, { settings: { autoInvite: false } });
  const body = [employee('a'), employee('b', { InvitationDate: future }), employee('c')];
  const rehearsed = await app.call('PUT', `${employees}?dryRun=true`, { body });
  t.match(rehearsed.json, { Invitations: { Count: 1, FirstDueAt: future, LastDueAt: future } });
  t.match((await app.call('PUT', `${employees}?dryRun=true`, { body: body.slice(0, 1) })).json, {
    Invitations: { Count: 0, FirstDueAt: null, LastDueAt: null },
  });
  await app.call('PUT', employees, { body });
  await app.projected();
  t.match((await app.call('GET', path)).json, exactly([{ Number: 2, EmployeeID: 'b', State: 'Planned' }]));
  t.match((await app.call('PUT', `${employees}?dryRun=true`, { body })).json, {
    Invitations: { Count: 0, FirstDueAt: null },
  });
});
