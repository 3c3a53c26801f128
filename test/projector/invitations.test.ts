import { projections } from '@rollcall/projector';
import type { DomainEvent } from '@rollcall/contracts';
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
