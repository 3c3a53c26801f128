import { invitationsAreDue, RateLimiter } from '@rollcall/application';
import { createLogger } from '@rollcall/host';
import { newInvitationCounts, runInvitations } from '@rollcall/worker';
import t from 'tap';
import { companyId } from '../support/test-app.js';
import { HandQueue } from '../worker/hand-queue.js';
import { person, startSender } from './sender.support.js';

t.test('those whom the rate holds back come back once, when all of them may go', async (t) => {
  const sender = await startSender(t);
  const fifteen = Array.from({ length: 15 }, (_, at) => at + 1);
  await sender.put(...fifteen.map((at) => person(`R${at}`)));
  const queue = new HandQueue();
  const counts = newInvitationCounts();
  const stopped = new AbortController();
  const running = runInvitations({
    ...{ queue, counts, concurrency: 1, underWay: 15, signal: stopped.signal },
    logger: createLogger('silent'),
    send: { ...sender.deps, limiter: new RateLimiter({ total: 10, perCompany: 10 }, sender.clock) },
  });
  const message = invitationsAreDue(
    companyId,
    fifteen.map((at) => sender.numberOf(at)),
  );
  t.equal(await queue.deliver(message).settled, 'nak 500');
  t.equal(sender.sent.length, 10);
  sender.clock.at += 500;
  t.equal(await queue.deliver(message, 2).settled, 'ack');
  t.equal(sender.sent.length, 15);
  t.match(counts, { sent: 15, paced: 5, nothing: 10 });
  stopped.abort();
  await running;
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
