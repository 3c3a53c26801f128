import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { cancel, decideClaim, resend } from './decide.js';
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
  worker,
} from './invitations.testing.js';
import { type InvitationEvent, invitationOf, invitationStream, wakeMoment } from './evolve.js';

const nothing = (reason: string) => ({ kind: 'nothing', reason });
const claim = (changes: Parameters<typeof claimOf>[0] = {}) => ({
  kind: 'claim',
  events: [{ name: 'InvitationSending', data: claimOf(changes) }],
});
const left = (dueAt: string) => ({
  kind: 'cancel',
  events: [{ name: 'InvitationCancelled', data: { dueAt, reason: 'The employee has left' } }],
});

tap.test('a planned invitation', async (t) => {
  const state = given();
  t.same(decideClaim(worker(), state), claim(), 'is claimed when it is due');
  t.same(decideClaim(worker({ now: Date.parse(due) - 1 }), state), nothing('not-due'));
  t.same(
    decideClaim(worker({ now: Date.parse(due) }), state),
    claim({ until: iso('07:10:00'), startedAt: iso('07:00:00') }),
  );
  t.same(decideClaim(worker({ plannedDueAt: null }), state), nothing('not-planned'));
  t.same(decideClaim(worker({ held: true }), state), nothing('held'));
  t.same(decideClaim(worker({ present: false }), state), nothing('left'), 'no event for who has left');
});

tap.test('a claim', async (t) => {
  const state = given(sending());
  const again = worker({ now: at('07:10:05') });
  t.same(decideClaim(worker(), state), nothing('claimed'), 'stands against another');
  t.same(decideClaim(worker({ now: at('07:10:05') - 1 }), state), nothing('claimed'), 'to the last moment');
  t.same(decideClaim(worker({ present: false }), state), nothing('claimed'), 'also of one who has left');
  t.same(
    decideClaim({ ...again, messageId: () => 'another@example.com' }, state),
    claim({ dueAt: iso('07:10:05'), until: iso('07:20:05'), attempt: 2 }),
    'then another may follow, under the same Message-ID',
  );
  t.same(decideClaim({ ...again, present: false }, state), left(iso('07:10:05')));
  t.same(decideClaim({ ...again, held: true }, state), nothing('held'));
  t.same(
    decideClaim({ ...again, held: true, present: false }, state),
    left(iso('07:10:05')),
    'is closed although the company is held',
  );
});

tap.test('one that was put off', async (t) => {
  const state = given(sending(), deferred());
  t.same(decideClaim(worker(), state), nothing('not-due'));
  t.same(
    decideClaim(worker({ now: at('07:01:07') }), state),
    claim({ dueAt: iso('07:01:06'), until: iso('07:11:07'), attempt: 2 }),
  );
  t.same(decideClaim(worker({ present: false }), state), left(iso('07:01:06')), 'left before it is due');
});

tap.test('one that was closed because its employee left', async (t) => {
  const reason = 'The employee has left';
  const away: InvitationEvent = { name: 'InvitationCancelled', data: { dueAt: iso('07:01:06'), reason } };
  const state = given(sending(), deferred(), away);
  const back = worker({ now: at('09:00:00') });
  const again = claim({ dueAt: iso('07:01:06'), until: iso('09:10:00'), attempt: 2 });
  t.same(decideClaim(back, state), again, 'goes on when the employee is back, under the same Message-ID');
  t.same(decideClaim({ ...back, held: true }, state), nothing('held'));
  t.same(decideClaim({ ...back, present: false }, state), nothing('left'), 'is closed once');
  const person = { plannedDueAt: due, now: at('09:00:00'), reason };
  const cancels = cancel(person, state);
  t.match(cancels, { events: exactly([{ name: 'InvitationCancelled' }]) }, 'a person may end it for good');
  const ended = cancels.kind === 'events' ? given(sending(), deferred(), away, ...cancels.events) : state;
  t.same(decideClaim(back, ended), nothing('cancelled'), 'even in the words of a worker');
  const twice = given(sending(), sent(), requested(), away);
  t.same(decideClaim(back, twice), nothing('cancelled'), 'who has had a mail gets no other');
});

tap.test('one that has ended is not claimed again', async (t) => {
  const late = worker({ now: at('23:00:00') });
  t.same(decideClaim(late, given(sending(), sent())), nothing('sent'));
  t.same(decideClaim(late, given(sending(), failed)), nothing('failed'));
  t.same(decideClaim(late, given(cancelled)), nothing('cancelled'));
  t.same(decideClaim({ ...late, present: false }, given(sending(), sent())), nothing('sent'));
  const lateSent = given(sending(), sending({ dueAt: iso('07:10:05'), attempt: 2 }), sent());
  t.same(decideClaim(late, lateSent), nothing('sent'), 'the record wins over a later claim');
});

tap.test('one that a person asked for', async (t) => {
  const now = worker({ now: at('12:00:01') });
  const round2 = claimOf({
    dueAt: iso('12:00:00'),
    until: iso('12:10:01'),
    startedAt: iso('12:00:01'),
    messageId: 'round-2@example.com',
  });
  for (const history of [[sending(), sent()], [sending(), failed], [cancelled], [sending()], []]) {
    t.same(decideClaim(now, given(...history, requested())), claim(round2));
  }
  const third = decideClaim(now, given(sending(), sent(), requested(), sending(round2), requested()));
  t.same(third, claim({ ...round2, messageId: 'round-3@example.com' }));
  t.same(
    decideClaim({ ...now, plannedDueAt: null }, given(requested())),
    claim(round2),
    'also without a plan',
  );
  t.same(decideClaim({ ...now, present: false }, given(requested())), left(iso('12:00:00')));
});

tap.test('when to look next', async (t) => {
  const plan = '2027-01-01T00:00:00Z';
  t.equal(wakeMoment(given(), plan), plan);
  t.equal(wakeMoment(given(), null), null);
  t.equal(wakeMoment(given(sending()), plan), iso('07:10:05'));
  t.equal(wakeMoment(given(sending(), deferred()), plan), iso('07:01:06'));
  t.equal(wakeMoment(given(requested()), plan), iso('12:00:00'));
  for (const ended of [[sending(), sent()], [sending(), failed], [cancelled]])
    t.equal(wakeMoment(given(...ended), plan), null);
  t.equal(invitationStream(7, 12), 'invitation-7-12');
  t.same(invitationOf('invitation-7-12'), { companyId: 7, number: 12 });
  t.same(invitationOf('invitation-1-1'), { companyId: 1, number: 1 });
  for (const other of ['invitation-7', 'invitation-0-1', 'x-invitation-7-12', 'company-7'])
    t.equal(invitationOf(other), undefined);
});

tap.test('resend', async (t) => {
  const command = { plannedDueAt: due, present: true, now: at('12:00:00'), reason: 'Again' };
  const asked = (replaces: string | null) => ({
    kind: 'events',
    events: [{ name: 'InvitationRequested', data: { dueAt: iso('12:00:00'), replaces, reason: 'Again' } }],
  });
  t.same(resend(command, given(sending(), sent())), asked(null), 'what was sent');
  t.same(resend(command, given(sending(), failed)), asked(null), 'what has failed');
  t.same(resend(command, given(cancelled)), asked(null), 'what was cancelled');
  t.same(resend(command, given()), asked(due), 'before its hour: instead of the plan');
  t.same(resend({ ...command, plannedDueAt: null }, given()), asked(null), 'without a plan');
  t.same(resend(command, given(sending(), deferred())), asked(iso('07:01:06')), 'what was put off');
  t.same(resend(command, given(sending())), asked(iso('07:10:05')), 'what was claimed and never recorded');
  t.same(resend({ ...command, now: at('07:05:00') }, given(sending())), {
    kind: 'refused',
    rejection: { reason: 'sending', until: iso('07:10:05') },
  });
  t.same(resend(command, given(requested())), { kind: 'nothing' }, 'what is asked for already');
  for (const history of [[], [sending(), sent()]])
    t.same(resend({ ...command, present: false }, given(...history)), {
      kind: 'refused',
      rejection: { reason: 'left' },
    });
});
