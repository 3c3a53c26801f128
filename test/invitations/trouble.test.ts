import {
  cancelInvitation,
  EventLogUnavailable,
  readInvitations,
  resendInvitation,
  type EventLog,
} from '@rollcall/application';
import t from 'tap';
import { companyId, testContext, type Answer } from '../support/test-app.js';
import { hour, minute, person, type Sender, startSender } from './sender.support.js';

const a = person('A');
const later = { outcome: 'deferred', code: '451', problem: '4.7.1 Try again later' } as const;
const never = { outcome: 'failed', code: '550', problem: '5.1.1 No such user' } as const;

t.test('a temporary error is tried again after growing delays, under the same Message-ID', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  const ids = new Set<string>();
  const waits: number[] = [];
  sender.onMail = ({ messageId }) => {
    ids.add(messageId);
    return later;
  };
  for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
    t.strictSame(await sender.round(), ['deferred']);
    sender.clock.at += wait * minute - 1;
    t.strictSame(await sender.published(), [], `not before ${wait} min`);
    sender.clock.at += 1;
    waits.push(wait);
  }
  sender.onMail = (mail) => sender.accept(mail);
  t.strictSame(await sender.round(), ['sent']);
  t.ok(ids.has(sender.sent[0]?.messageId ?? ''));
  t.equal(ids.size, 1);
});

t.test('after 48 hours it is given up', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  sender.onMail = () => later;
  let attempts = 0;
  for (let end: string | undefined = 'deferred'; end === 'deferred'; attempts++) {
    [end] = await sender.round();
    sender.clock.at += hour;
  }
  t.ok(attempts >= 46 && attempts <= 51, `${attempts} attempts`);
  t.equal((await sender.events(1)).at(-1), 'InvitationFailed');
  t.strictSame(await sender.published(), []);
});

t.test('a permanent error is for good', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  sender.onMail = () => never;
  t.strictSame(await sender.round(), ['failed']);
  sender.clock.at += 48 * hour;
  t.strictSame(await sender.published(), []);
  t.equal((await sender.look(1)).kind, 'nothing');
});

t.test('ten who look at once send one mail', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  const ends = await Promise.all(Array.from({ length: 10 }, () => sender.look(1)));
  t.strictSame(ends.map(({ kind }) => kind).sort(), [...Array.from({ length: 9 }, () => 'nothing'), 'sent']);
  t.equal(sender.sent.length, 1);
});

t.test('a crash behind the acceptance: once more after ten minutes, the same Message-ID', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  sender.onMail = (mail) => {
    sender.accept(mail);
    throw new Error('the process is gone');
  };
  await t.rejects(sender.look(1));
  sender.onMail = (mail) => sender.accept(mail);
  sender.clock.at += 10 * minute - 1;
  t.strictSame(await sender.round(), []);
  t.equal((await sender.look(1)).kind, 'nothing', 'nobody else may send it before');
  sender.clock.at += 1;
  t.strictSame(await sender.round(), ['sent']);
  t.equal(sender.sent.length, 2);
  t.equal(sender.sent[0]?.messageId, sender.sent[1]?.messageId);
});

t.test(
  'a pause before the mail leaves: it does not leave in the last two minutes of its claim',
  async (t) => {
    const sender = await startSender(t);
    await sender.put(a);
    const pauses = [8 * minute, 8 * minute - 1];
    sender.onMail = (mail, options) => {
      sender.clock.at += pauses.shift() ?? 0;
      return options?.mayLeave?.() === false ? { outcome: 'withheld' } : sender.accept(mail);
    };
    t.equal((await sender.look(1)).kind, 'withheld');
    t.strictSame(sender.sent, []);
    sender.clock.at += 2 * minute;
    t.strictSame(await sender.round(), ['sent']);
  },
);

t.test('a pause behind the acceptance: it is recorded all the same, and wins', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  sender.onMail = async (mail) => {
    sender.accept(mail);
    sender.onMail = () => later;
    sender.clock.at += 11 * minute;
    t.equal((await sender.look(1)).kind, 'deferred', 'another one is unlucky meanwhile');
    return { outcome: 'sent', response: '250 Ok' };
  };
  t.equal((await sender.look(1)).kind, 'sent');
  t.strictSame(await sender.events(1), [
    'InvitationSending',
    'InvitationSending',
    'InvitationDeferred',
    'InvitationSent',
  ]);
  sender.clock.at += hour;
  t.strictSame(await sender.round(), []);
  t.equal(sender.sent.length, 1);
});

t.test('a log that is away behind the acceptance: recorded when it is back', async (t) => {
  const state = { away: 0 };
  const wrap = (log: EventLog): EventLog =>
    Object.assign(Object.create(log) as EventLog, {
      append: (...args: Parameters<EventLog['append']>) =>
        state.away-- > 0 ? Promise.reject(new EventLogUnavailable('away')) : log.append(...args),
      readStream: log.readStream.bind(log),
      readLast: log.readLast.bind(log),
    });
  const sender = await startSender(t, { log: wrap });
  await sender.put(a);
  sender.onMail = (mail) => {
    state.away = 8;
    return sender.accept(mail);
  };
  t.equal((await sender.look(1)).kind, 'sent');
  t.strictSame(await sender.events(1), ['InvitationSending', 'InvitationSent']);
});

/** What the list of invitations says. */
async function listed(sender: Sender): Promise<string[]> {
  await sender.app.projected();
  const wanted = { companyId, now: sender.clock.at, after: sender.numberOf(0) };
  const states: string[] = [];
  for await (const { State } of readInvitations(sender.app.adapters.readModels, wanted)) states.push(State);
  return states;
}

const operationOf = ({ json }: Answer): string =>
  (json as { readonly ApiOperationId: string }).ApiOperationId;

/** Removes everybody, and takes that back after two hours. */
async function removedByMistake(sender: Sender): Promise<void> {
  const removal = await sender.put();
  sender.clock.at += hour;
  await sender.round();
  sender.clock.at += hour;
  await sender.undo(operationOf(removal));
}

t.test('an undo gives a deferred invitation back, under its Message-ID, and once', async (t) => {
  const sender = await startSender(t);
  await sender.put(a, person('B'));
  const ids = new Set<string>();
  sender.onMail = (mail) => {
    if (mail.to.address.startsWith('b')) return sender.accept(mail);
    ids.add(mail.messageId);
    return later;
  };
  t.strictSame((await sender.round()).toSorted(), ['deferred', 'sent']);
  await removedByMistake(sender);
  t.equal((await sender.events(1)).at(-1), 'InvitationCancelled', 'no mail while A was away');
  t.strictSame(await listed(sender), ['Due', 'Sent']);
  await sender.hold();
  t.strictSame(await listed(sender), ['Held', 'Sent']);
  await sender.hold('release');
  t.strictSame(await sender.round(), ['deferred']);
  sender.onMail = (mail) => sender.accept(mail);
  await removedByMistake(sender);
  t.strictSame(await sender.round(), ['sent'], 'after a second mistake');
  t.strictSame([...ids], [sender.sent[1]?.messageId]);
  await removedByMistake(sender);
  t.strictSame(await sender.round(), [], 'B, and now A, were invited already');
  t.equal(sender.sent.length, 2);
});

t.test(
  'an undo gives nothing back that a person has cancelled, nor another mail to who has one',
  async (t) => {
    const sender = await startSender(t);
    const deps = { ...sender.deps, states: sender.states };
    const order = (number: number) => ({
      companyId,
      number: sender.numberOf(number),
      reason: 'The employee has left',
    });
    await sender.put(a, person('B'));
    sender.onMail = (mail) => (mail.to.address.startsWith('b') ? sender.accept(mail) : later);
    await sender.round();
    await cancelInvitation(deps, testContext(companyId), order(1));
    await resendInvitation(deps, testContext(companyId), order(2));
    sender.clock.at += minute;
    sender.onMail = () => later;
    t.strictSame(await sender.round(), ['deferred']);
    await removedByMistake(sender);
    t.equal((await sender.events(2)).at(-1), 'InvitationCancelled');
    t.strictSame(await listed(sender), ['Cancelled', 'Cancelled']);
    t.strictSame(await sender.round(), []);
    t.strictSame([(await sender.look(1)).kind, (await sender.look(2)).kind], ['nothing', 'nothing']);
  },
);

t.test('who comes back while others of the same message are sent is not forgotten', async (t) => {
  const sender = await startSender(t);
  await sender.put(a, person('B'));
  sender.onMail = () => later;
  await sender.round();
  const removal = await sender.put();
  sender.clock.at += hour;
  const batch = sender.batch([1, 2]);
  t.match(await batch.send(sender.numberOf(2)), { kind: 'cancelled' });
  await sender.undo(operationOf(removal));
  t.equal((await sender.published()).length, 2, 'the worker has read the undo');
  t.match(await batch.send(sender.numberOf(1)), { kind: 'withheld' });
  sender.onMail = (mail) => sender.accept(mail);
  sender.clock.at += minute;
  t.strictSame(await sender.round(), ['sent', 'sent']);
});
