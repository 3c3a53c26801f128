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
