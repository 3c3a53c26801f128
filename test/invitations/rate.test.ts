import { invitationsAreDue, RateLimiter } from '@rollcall/application';
import { createLogger } from '@rollcall/host';
import { newInvitationCounts, runInvitations } from '@rollcall/worker';
import t, { type Test } from 'tap';
import { companyId } from '../support/test-app.js';
import { HandQueue } from '../worker/hand-queue.js';
import { person, startSender } from './sender.support.js';

/** A worker at ten mails a second, with one message of so many invitations. */
async function startAtTen(t: Test, count: number) {
  const sender = await startSender(t);
  const all = Array.from({ length: count }, (_, at) => at + 1);
  await sender.put(...all.map((at) => person(`R${at}`)));
  const [queue, counts, stopped] = [new HandQueue(), newInvitationCounts(), new AbortController()];
  const running = runInvitations({
    ...{ queue, counts, concurrency: 1, underWay: count, signal: stopped.signal },
    logger: createLogger('silent'),
    send: { ...sender.deps, limiter: new RateLimiter({ total: 10, perCompany: 10 }, sender.clock) },
  });
  t.teardown(() => (stopped.abort(), running));
  const numbers = all.map((at) => sender.numberOf(at));
  return { sender, queue, counts, message: invitationsAreDue(companyId, numbers) };
}

t.test('those whom the rate holds back come back once, when all of them may go', async (t) => {
  const { sender, queue, counts, message } = await startAtTen(t, 15);
  t.equal(await queue.deliver(message).settled, 'nak 500');
  t.equal(sender.sent.length, 10);
  sender.clock.at += 500;
  t.equal(await queue.deliver(message, 2).settled, 'ack');
  t.equal(sender.sent.length, 15);
  t.match(counts, { sent: 15, paced: 5, nothing: 10 });
});

t.test('a message of more than the rate lets go in a second comes back each second', async (t) => {
  const { sender, queue, message } = await startAtTen(t, 30);
  t.equal(await queue.deliver(message).settled, 'nak 1000');
  sender.clock.at += 1_000;
  t.equal(await queue.deliver(message, 2).settled, 'nak 1000');
  sender.clock.at += 1_000;
  t.equal(await queue.deliver(message, 3).settled, 'ack');
  t.equal(sender.sent.length, 30);
});

t.test('the rate of one process', async (t) => {
  const clock = { at: 10_000, now: () => clock.at };
  const limiter = new RateLimiter({ total: 5, perCompany: 2 }, clock);
  const burst = Array.from({ length: 10 }, () => limiter.take(1));
  t.equal(burst.filter((wait) => wait === 0).length, 2, 'a second may be caught up');
  const later = Array.from({ length: 8 }, (_, at) => 500 * (at + 1));
  t.strictSame(burst.slice(2), later, 'each of the others has a moment of its own');
  t.equal([2, 3, 4, 5].filter((company) => limiter.take(company) === 0).length, 3, 'five in all');
  clock.at += 499;
  t.not(limiter.take(1), 0);
  clock.at += 1;
  t.equal(limiter.take(1), 0);
});

t.test('what was held back and did not come again holds up no later one for long', async (t) => {
  const clock = { at: 0, now: () => clock.at };
  const limiter = new RateLimiter({ total: 5, perCompany: 5 }, clock);
  const waits = Array.from({ length: 1_000 }, () => limiter.take(1));
  t.equal(Math.max(...waits), 5_000);
  t.equal(limiter.take(2), 5_000, 'nor one of another company');
  clock.at += 5_000;
  t.equal(limiter.take(2), 0);
});

t.test(
  'while no mail server is there, one mail after another tries it, and the others cost nothing',
  async (t) => {
    const sender = await startSender(t);
    await sender.put(...Array.from({ length: 9 }, (_, at) => person(`A${at}`)));
    const limiter = new RateLimiter({ total: 100, perCompany: 100 }, sender.clock);
    const from = async (first: number): Promise<readonly (string | number)[]> => {
      const ends: (string | number)[] = [];
      for (let at = first; at <= 9; at++) {
        const end = await sender.look(at, { limiter });
        ends.push(end.kind === 'paced' ? end.delayMs : end.kind);
      }
      return ends;
    };
    sender.onMail = () => ({ outcome: 'deferred', code: 'ESOCKET', problem: 'away' });
    t.strictSame(await from(1), ['deferred', ...Array<number>(8).fill(1_000)]);
    t.strictSame(await sender.events(2), [], 'not claimed');
    sender.clock.at += 1_000;
    t.strictSame(await from(2), ['deferred', ...Array<number>(7).fill(2_000)]);
    sender.clock.at += 2_000;
    sender.onMail = () => ({ outcome: 'deferred', code: '421', problem: 'shutting down' });
    t.strictSame(await from(3), ['deferred', ...Array<number>(6).fill(4_000)]);
    sender.clock.at += 4_000;
    sender.onMail = () => ({ outcome: 'deferred', code: '451', problem: 'later' });
    t.strictSame(await from(4), Array<string>(6).fill('deferred'), 'the server is there');
  },
);

t.test(
  'an answer about one mail says that the server is there; one about each session, that it is not',
  async (t) => {
    const sender = await startSender(t);
    await sender.put(...Array.from({ length: 5 }, (_, at) => person(`B${at}`)));
    const limiter = new RateLimiter({ total: 100, perCompany: 100 }, sender.clock);
    const look = async (at: number) => (await sender.look(at, { limiter })).kind;
    sender.onMail = () => ({ outcome: 'deferred', code: '535', problem: 'bad password' });
    t.strictSame([await look(1), await look(2)], ['deferred', 'paced']);
    sender.clock.at += 1_000;
    sender.onMail = () => ({ outcome: 'failed', code: 'EENVELOPE', problem: 'no address' });
    t.strictSame([await look(2), await look(3)], ['failed', 'paced'], 'no answer');
    sender.clock.at += 2_000;
    sender.onMail = () => ({ outcome: 'failed', code: '550', problem: 'no such mailbox' });
    t.strictSame([await look(3), await look(4), await look(5)], ['failed', 'failed', 'failed']);
  },
);
