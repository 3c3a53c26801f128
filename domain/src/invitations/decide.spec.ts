import { exactly } from '@rollcall/employee-lists/testing';
import { cancel, recordDeferred, recordFailed, recordSent, serverText } from './decide.js';
import {
  at,
  cancelled,
  claimOf,
  deferred,
  due,
  failed,
  given,
  iso,
  requested,
  sending,
  sent,
} from './invitations.testing.js';

import tap from 'tap';

const nothing = { kind: 'nothing' };
const later = { code: '451', problem: 'Later', now: at('07:00:06') };
const gone = { code: '550 5.1.1', problem: '<person@example.com> no such mailbox' };
const one = (name: string, data: object) => ({ kind: 'events', events: [{ name, data }] });
const second = claimOf({ dueAt: iso('07:10:05'), until: iso('07:20:05'), attempt: 2 });

tap.test('what was sent is recorded', async (t) => {
  const record = { claim: claimOf(), response: '250 Ok', sentAt: at('07:00:06') };
  const recorded = (dueAt: string) => one('InvitationSent', { ...sent().data, dueAt });
  t.same(recordSent(record, given(sending())), recorded(iso('07:10:05')));
  t.same(recordSent(record, given(sending(), sent())), nothing, 'once');
  t.same(
    recordSent(record, given(sending(), sending(second))),
    recorded(iso('07:20:05')),
    'after a later claim',
  );
  t.same(recordSent(record, given(sending(), deferred())), recorded(iso('07:01:06')), 'after it was put off');
  t.same(recordSent(record, given(sending(), failed)), recorded(iso('07:10:05')), 'after it had failed');
  t.same(recordSent(record, given(sending(), cancelled)), recorded(due), 'after it was cancelled');
  const asked = given(sending(), cancelled, requested());
  t.same(recordSent(record, asked), recorded(iso('12:00:00')), 'instead of what a person asked for');
  const again = given(sending(), sent(), requested(), sending({ messageId: 'round-2@example.com' }));
  t.same(recordSent(record, again), nothing, 'a record of an earlier round, repeated');
  const round2 = { ...record, claim: claimOf({ messageId: 'round-2@example.com' }) };
  t.match(recordSent(round2, again), { kind: 'events' }, 'the next round has a record of its own');
});

tap.test('what is put off is tried again, ever later, for 48 hours', async (t) => {
  const delays: number[] = [];
  for (const attempt of [1, 2, 3, 4, 5, 6, 7, 8, 40]) {
    const claim = claimOf({ attempt });
    const decision = recordDeferred({ claim, ...later }, given(sending(claim)));
    const [event] = decision.kind === 'events' ? decision.events : [];
    if (event?.name === 'InvitationDeferred')
      delays.push((Date.parse(event.data.nextAttemptAt) - later.now) / 60_000);
  }
  t.same(delays, [1, 2, 4, 8, 16, 32, 60, 60, 60]);

  const end = at('07:00:05') + 48 * 3_600_000;
  const claim = claimOf({ attempt: 24, until: '2026-11-25T07:10:00.000Z' });
  const put = (now: number) => recordDeferred({ claim, ...later, now }, given(sending(claim)));
  t.match(put(end - 3_600_000), { events: exactly([{ name: 'InvitationDeferred' }]) });
  t.same(
    put(end - 3_600_000 + 1),
    one('InvitationFailed', {
      dueAt: claim.until,
      code: '451',
      problem: 'Given up after 48 hours: Later',
    }),
  );
  const few = claimOf({ attempt: 23, until: '2026-11-25T07:10:00.000Z' });
  t.match(
    recordDeferred({ claim: few, ...later, now: end }, given(sending(few))),
    { events: exactly([{ name: 'InvitationDeferred' }]) },
    'a hold lay between',
  );
});

tap.test('what a worker says of a claim that counts no more is not recorded', async (t) => {
  const old = [
    given(sending(), sending(second)),
    given(sending(), sent()),
    given(sending(), cancelled),
    given(sending(), requested()),
    given(sending(), sent(), requested(), sending({ messageId: 'round-2@example.com' })),
    given(),
  ];
  for (const state of old) {
    t.same(recordDeferred({ claim: claimOf(), ...later }, state), nothing);
    t.same(recordFailed({ claim: claimOf(), ...gone }, state), nothing);
  }
});

tap.test('a failure is recorded without addresses', async (t) => {
  t.same(
    recordFailed({ claim: claimOf(), ...gone }, given(sending())),
    one('InvitationFailed', {
      dueAt: iso('07:10:05'),
      code: '550 5.1.1',
      problem: '<<address>> no such mailbox',
    }),
  );
  const nameless = recordFailed({ claim: claimOf(), code: '', problem: '' }, given(sending()));
  t.match(nameless, { events: exactly([{ data: { code: 'unknown', problem: '' } }]) });
});

tap.test('the text of a server', async (t) => {
  t.equal(serverText('250-ok\r\n250 2.0.0\tqueued\0'), '250-ok 250 2.0.0 queued');
  t.equal(serverText("o'neil+a@example.com, ø@eksempel.example"), '<address>, <address>');
  t.equal(serverText('x'.repeat(499) + '😀').length, 499, 'no half of a character');
  t.equal(serverText('ø'.repeat(5000)).length, 500);
});

tap.test('cancel', async (t) => {
  const command = { plannedDueAt: due, now: at('07:00:00'), reason: 'By hand' };
  const gone = (dueAt: string) => one('InvitationCancelled', { dueAt, reason: 'By hand' });
  const refused = (rejection: object) => ({ kind: 'refused', rejection });
  t.same(cancel(command, given()), gone(due));
  t.same(cancel(command, given(requested())), gone(iso('12:00:00')));
  t.same(cancel(command, given(sending(), deferred())), gone(iso('07:01:06')));
  t.same(
    cancel(command, given(sending())),
    refused({ reason: 'sending', until: iso('07:10:05') }),
    'not while it is being sent',
  );
  t.same(cancel({ ...command, now: at('07:10:05') }, given(sending())), gone(iso('07:10:05')));
  t.same(cancel(command, given(cancelled)), nothing);
  t.same(cancel(command, given(sending(), sent())), refused({ reason: 'ended', status: 'sent' }));
  t.same(cancel(command, given(sending(), failed)), refused({ reason: 'ended', status: 'failed' }));
  t.same(cancel({ ...command, plannedDueAt: null }, given()), refused({ reason: 'not-planned' }));
});
