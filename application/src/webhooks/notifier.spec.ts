import { webhooks } from '@rollcall/domain';
import t from 'tap';
import type { RecordedEvent } from '../ports/event-log.js';
import { WebhookQueue } from './notifier.js';
import type { Notice } from './notification.js';

const place = (revision: number) => ({ stream: 'company-7', revision });
const event = (at: number): RecordedEvent => ({
  ...{ id: `${at}`, type: 'EmployeeSetReplaced.v1', ...place(at), position: BigInt(at) },
  ...{ contentType: 'json', data: new Uint8Array(), metadata: new Uint8Array() },
});
const notice = (at: number): Notice => ({
  ...{ id: `${at}`, type: 'import.completed', ...place(at), position: BigInt(at) },
  ...{ body: '{}', notification: undefined },
});

/** Of a webhook that was added with event 10, with the events from 11 on that are shown to it. */
function given(last: number): WebhookQueue {
  const state = webhooks.evolve(webhooks.initialState(), {
    name: 'WebhookAdded',
    data: { webhookId: 1, url: 'https://hr.example.com/hook', types: ['import.completed'] },
  });
  const [webhook] = state.webhooks.values();
  if (webhook === undefined) throw new Error('no webhook');
  const queue = new WebhookQueue(7, { ...webhook, delivered: place(10) }, event(10));
  show(queue, 1, last);
  return queue;
}

function show(queue: WebhookQueue, first: number, last: number): void {
  for (let at = first; at <= last; at++) if (queue.wants(event(at))) queue.take(event(at), notice(at));
}

const revisions = (queue: WebhookQueue) => queue.notices.map(({ revision }) => revision);

t.test('events up to the place of the webhook, and what it has taken, are not wanted again', async (t) => {
  const queue = given(12);
  t.match(queue, { companyId: 7, webhook: { webhookId: 1 }, alignedTo: place(10), hasRoomAgain: false });
  show(queue, 9, 13);
  t.strictSame(revisions(queue), [11, 12, 13]);
  queue.take(event(14), undefined);
  t.match(queue, { upTo: 14n, seen: place(14), notices: { length: 3 } }, 'it asks for no such event');
  for (const at of [undefined, 20n, 15n]) queue.readUpTo(at);
  show(queue, 14, 21);
  t.strictSame(revisions(queue), [11, 12, 13, 21], 'a round has passed 20');
});

t.test('a full queue reads on from its own place once it is less than half full', async (t) => {
  const queue = given(1_010);
  t.notOk(queue.isFull);
  show(queue, 1_011, 1_020);
  queue.readUpTo(1_020n);
  t.match(queue, { isFull: true, upTo: 1_010n, seen: place(1_010), notices: { length: 1_000 } });
  queue.notices.splice(0, 500);
  t.notOk(queue.hasRoomAgain);
  queue.notices.shift();
  t.ok(queue.hasRoomAgain);
  queue.readUpTo(1_020n);
  show(queue, 1_000, 1_012);
  t.strictSame(revisions(queue).slice(-3), [1_010, 1_011, 1_012]);
});

t.test('one that waits for an event which cannot be read has no room', async (t) => {
  const queue = given(11);
  queue.isStuck = queue.isFull = true;
  queue.readUpTo(20n);
  show(queue, 12, 13);
  t.match(queue, { isFull: true, upTo: 11n, notices: { length: 1 } });
  queue.isStuck = false;
  queue.readUpTo(20n);
  t.match(queue, { isFull: false, upTo: 11n });
});

t.test('what another worker has delivered is dropped, and the place never goes back', async (t) => {
  const queue = given(15);
  queue.dropUpTo(10n, place(10));
  t.strictSame(revisions(queue), [11, 12, 13, 14, 15]);
  queue.dropUpTo(12n, place(12));
  t.strictSame(revisions(queue), [13, 14, 15]);
  t.match(queue, { upTo: 15n, seen: place(15), alignedTo: place(12) });
  queue.dropUpTo(20n, place(20));
  t.strictSame(revisions(queue), []);
  t.match(queue, { upTo: 20n, seen: place(20), alignedTo: place(20) });
});
