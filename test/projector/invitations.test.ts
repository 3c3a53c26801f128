import { projections } from '@rollcall/projector';
import type { DomainEvent } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import t, { type Test } from 'tap';
import { append, document, openRig, projectAll } from './projector.support.js';

const dueAt = '2026-11-21T09:00:00.000Z';
const [first, second] = ['2026-11-21T09:01:00.000Z', '2026-11-22T09:01:00.000Z'];
const messageId = '<1@rollcall.example>';
const requested: DomainEvent = {
  name: 'InvitationRequested',
  data: { dueAt, replaces: null, reason: 'again' },
};
const sending: DomainEvent = {
  name: 'InvitationSending',
  data: { dueAt, until: second, attempt: 1, messageId, startedAt: first },
};
const sent = (sentAt: string): DomainEvent => ({
  name: 'InvitationSent',
  data: { dueAt, messageId, response: '250 OK', sentAt },
});
const deferred: DomainEvent = {
  name: 'InvitationDeferred',
  data: { dueAt, nextAttemptAt: second, code: '421', problem: 'later' },
};
const cancelled: DomainEvent = { name: 'InvitationCancelled', data: { dueAt, reason: 'a mistake' } };

async function after(t: Test, events: readonly DomainEvent[]): Promise<unknown> {
  const on = await openRig(t);
  await append(on, 'invitation-7-1', events);
  await projectAll({ ...on, projections });
  return document(on.readModels, 'invitation-progress', [7, 1]);
}

t.test('the first time of sending stands when it is sent again', async (t) => {
  const again = [sending, sent(first), requested, sending, sent(second)];
  t.match(await after(t, again), { state: 'sent', sentAt: second, firstSentAt: first });
});

t.test('the last error is shown during the next attempt, and after it is cancelled', async (t) => {
  const lastError = { code: '421', problem: 'later' };
  t.match(await after(t, [sending, deferred, sending]), { state: 'sending', lastError });
  t.match(await after(t, [sending, deferred, cancelled]), { state: 'cancelled', lastError });
});

t.test(
  'each event of an invitation: what is shown of it, when to look again, and how it has ended',
  async (t) => {
    const on = await openRig(t);
    const failed: DomainEvent = {
      name: 'InvitationFailed',
      data: { dueAt, code: '550', problem: 'no such user' },
    };
    const left: DomainEvent = {
      name: 'InvitationCancelled',
      data: { dueAt, reason: invitations.leftReason },
    };
    const lastError = { code: '421', problem: 'later' };
    const none = { attempts: 0, messageId: null, lastError: null, sentAt: null };
    const once = { ...none, attempts: 1, messageId };
    const wasSent = { firstSentAt: first };
    const at = Date.parse(second);
    const steps: readonly [DomainEvent, object, object?][] = [
      [requested, { ...none, state: 'requested', dueAt, due: Date.parse(dueAt) }],
      [sending, { ...once, state: 'sending', dueAt, due: at }],
      [deferred, { ...once, state: 'deferred', dueAt: second, due: at, lastError }],
      [sending, { ...once, state: 'sending', dueAt, due: at, lastError }],
      [
        failed,
        {
          ...{ ...once, state: 'failed', dueAt, due: null, failedAt: '2026-11-21T09:00:05.000Z' },
          lastError: { code: '550', problem: 'no such user' },
        },
        { failed: 1 },
      ],
      [requested, { ...none, state: 'requested', dueAt, due: Date.parse(dueAt) }],
      [sending, { ...once, state: 'sending', dueAt, due: at }],
      [sent(first), { ...once, state: 'sent', dueAt, due: null, sentAt: first, ...wasSent }, { sent: 1 }],
      [requested, { ...none, state: 'requested', dueAt, due: Date.parse(dueAt), ...wasSent }],
      [sending, { ...once, state: 'sending', dueAt, due: at, ...wasSent }],
      [deferred, { ...once, state: 'deferred', dueAt: second, due: at, lastError, ...wasSent }],
      [cancelled, { ...once, state: 'cancelled', dueAt: second, due: null, lastError, ...wasSent }],
      [requested, { ...none, state: 'requested', dueAt, due: Date.parse(dueAt), ...wasSent }],
      [left, { ...none, state: 'left', dueAt, due: null, ...wasSent }],
    ];
    for (const [number, [event, shown, ended = {}]] of steps.entries()) {
      const what = `${number}: ${event.name}`;
      on.clock.at += 1_000;
      await append(on, 'invitation-7-1', event);
      await projectAll({ ...on, projections });
      t.strictSame(await document(on.readModels, 'invitation-progress', [7, 1]), shown, what);
      const count = async (index: string, prefix: readonly number[]): Promise<number> => {
        let found = 0;
        for await (const { key } of on.readModels.findByIndex('invitation-progress', index, { prefix }))
          found += Number(key[1]);
        return found;
      };
      const isDue = Number((shown as { due: number | null }).due !== null);
      t.strictSame([await count('due', [7]), await count('allDue', [])], [isDue, isDue], what);
      for (const [at, ending] of (['sent', 'failed'] as const).entries()) {
        const wanted = Number(ending in ended);
        t.strictSame(
          [await count('ended', [7, at + 1]), await count('allEnded', [at + 1])],
          [wanted, wanted],
          what,
        );
      }
    }
  },
);

t.test('the invitations of a company are held until they are released', async (t) => {
  const on = await openRig(t);
  const held = async (): Promise<unknown> => {
    await projectAll({ ...on, projections });
    return document(on.readModels, 'invitation-holds', [7]);
  };
  await append(
    on,
    'company-7',
    { name: 'InvitationsHeld', data: { reason: 'a wrong template' } },
    { username: 'cli:ann@host' },
  );
  const since = '2026-11-21T09:00:00.000Z';
  t.strictSame(await held(), { reason: 'a wrong template', username: 'cli:ann@host', since });
  await append(on, 'company-7', { name: 'InvitationsReleased', data: { reason: null } });
  t.equal(await held(), undefined);
});
