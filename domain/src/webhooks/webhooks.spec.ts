import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { specify } from '../testing/decider-specification.js';
import { decide, decideClaim, freeFrom, recordDelivery, type WebhookCommand } from './decide.js';
import {
  decodeWebhooks,
  encodeWebhooks,
  evolve,
  type WebhookEvent,
  addressOf,
  initialState,
  notified,
  shownUrl,
} from './evolve.js';

const now = Date.parse('2026-11-25T08:00:00.000Z');
const at = (ms: number): string => new Date(now + ms).toISOString();
const hour = 3_600_000;

const added: WebhookEvent = {
  name: 'WebhookAdded',
  data: { webhookId: 1, url: 'https://hr.example.com/hook', types: ['import.completed'] },
};
const claim: WebhookEvent = { name: 'WebhookSending', data: { webhookId: 1, until: at(60_000) } };
const place = { stream: 'company-7', revision: 4 };
const deferred = (attempt: number, since: string, next: string): WebhookEvent => ({
  name: 'WebhookDeferred',
  data: { webhookId: 1, attempt, since, nextAttemptAt: next, problem: 'answered 500' },
});

const commands = specify({
  initialState,
  evolve,
  decide: (command: WebhookCommand, state: ReturnType<typeof initialState>) => decide(command, state, now),
});

const add = {
  kind: 'add',
  url: 'https://hr.example.com/hook',
  types: ['import.completed', 'import.completed'],
} as const;

tap.test('adding', async (t) => {
  commands.given().when(add).then(added);
  commands
    .given(added, { name: 'WebhookRemoved', data: { webhookId: 1 } })
    .when(add)
    .then({ ...added, data: { ...added.data, webhookId: 2 } });
  for (const [url, problem] of [
    ['hr.example.com', /must be an address/],
    ['ftp://hr.example.com', /https/],
    ['https://a:b@hr.example.com', /no password/],
    ['https://a@hr.example.com', /no user/],
    ['https://:b@hr.example.com', /no password/],
    ['https://hr.example.com/#x', /no #/],
    ['https://hr.example.com/'.padEnd(2_001, 'x'), /at most 2000/],
  ] as const)
    t.match(
      decide({ ...add, url }, initialState(), now),
      { rejection: { reason: 'url-invalid', problem } },
      url,
    );
  for (const url of ['http://10.0.0.5/hook', 'https://hr.example.com/'.padEnd(2_000, 'x')])
    commands
      .given()
      .when({ ...add, url })
      .then({ ...added, data: { ...added.data, url } });
  const ten = Array.from({ length: 10 }, (_, n): WebhookEvent => ({
    ...added,
    data: { ...added.data, webhookId: n + 1 },
  }));
  commands
    .given(...ten)
    .when(add)
    .thenRefused({ reason: 'too-many' });
  commands
    .given(...ten, { name: 'WebhookRemoved', data: { webhookId: 3 } })
    .when(add)
    .then({ ...added, data: { ...added.data, webhookId: 11 } });
});

tap.test('managing', async () => {
  const one = { webhookId: 1 };
  for (const kind of ['remove', 'rotate', 'enable'] as const)
    commands
      .given()
      .when({ kind, ...one })
      .thenRefused({ reason: 'webhook-unknown' });
  commands
    .given(added)
    .when({ kind: 'remove', ...one })
    .then({ name: 'WebhookRemoved', data: one });
  commands
    .given(added)
    .when({ kind: 'rotate', ...one })
    .then({ name: 'WebhookSecretRotated', data: { ...one, generation: 2, previousUntil: at(24 * hour) } });
  commands
    .given(added)
    .when({ kind: 'enable', ...one })
    .thenNothing();
  commands
    .given(added, { name: 'WebhookDisabled', data: { ...one, problem: 'answered 500' } })
    .when({ kind: 'enable', ...one })
    .then({ name: 'WebhookEnabled', data: one });
});

const stateAfter = (...events: readonly WebhookEvent[]) => events.reduce(evolve, initialState());

tap.test('claims', async (t) => {
  t.same(decideClaim(1, stateAfter(added), now), { kind: 'events', events: [claim] });
  const nothing = { kind: 'nothing' };
  t.same(decideClaim(1, stateAfter(added, claim), now), nothing, 'another worker delivers');
  t.match(decideClaim(1, stateAfter(added, claim), now + 60_000), { kind: 'events' }, 'which has died');
  t.same(decideClaim(1, stateAfter(added, deferred(1, at(0), at(5_000))), now), nothing, 'it waits');
  t.same(decideClaim(2, stateAfter(added), now), nothing, 'it is gone');
  const disabled = stateAfter(added, { name: 'WebhookDisabled', data: { webhookId: 1, problem: 'x' } });
  const [one] = disabled.webhooks.values();
  t.equal(one && freeFrom(one), Infinity);
});

tap.test('what was delivered', async (t) => {
  const record = (state: ReturnType<typeof stateAfter>, change: object, then = now) =>
    recordDelivery(
      { webhookId: 1, count: 0, delivered: null, problem: null, claimedUntil: null, ...change },
      state,
      then,
    );
  const state = stateAfter(added);
  const delivered = { name: 'WebhookDelivered', data: { webhookId: 1, ...place, count: 3 } };
  t.same(record(state, {}), { kind: 'nothing' });
  t.same(record(state, { count: 3, delivered: place }), { kind: 'events', events: [delivered] });
  t.same(record(state, { problem: 'answered 500' }), {
    kind: 'events',
    events: [deferred(1, at(0), at(5_000))],
  });
  t.same(record(state, { count: 3, delivered: place, problem: 'answered 500' }), {
    kind: 'events',
    events: [delivered, deferred(1, at(0), at(5_000))],
  });
  const threeDays = stateAfter(added, deferred(80, at(-72 * hour), at(0)));
  t.match(
    record(threeDays, { count: 1, delivered: place, problem: 'answered 500' }),
    { events: exactly([{ name: 'WebhookDelivered' }, { name: 'WebhookDeferred', data: { attempt: 1 } }]) },
    'a success begins the three days anew',
  );
  t.same(record(initialState(), { problem: 'answered 500' }), { kind: 'nothing' }, 'removed meanwhile');
  const claimed = stateAfter(added, claim);
  const own = { count: 1, delivered: place, claimedUntil: at(60_000) };
  t.match(record(claimed, own), { kind: 'events' });
  const after = stateAfter(added, deferred(1, at(0), at(0)), claim, {
    ...delivered,
    name: 'WebhookDelivered',
  });
  t.match(
    after.webhooks.get(1),
    { delivered: place, claimedUntil: null, deferred: null },
    'it is free again',
  );
  const late = { ...own, claimedUntil: at(-60_000) };
  t.same(record(claimed, late), { kind: 'nothing' }, 'another worker has claimed it since');
});

tap.test('waits grow to an hour; after three days and 24 tries the webhook is disabled', async (t) => {
  const problem = 'answered 500';
  const outcome = { webhookId: 1, count: 0, delivered: null, problem, claimedUntil: null };
  const disabled: WebhookEvent = { name: 'WebhookDisabled', data: { webhookId: 1, problem } };
  const [short, long] = [at(1 - 72 * hour), at(-72 * hour)];
  for (const [before, since, event] of [
    [3, at(-hour), deferred(4, at(-hour), at(5_000 * 4 ** 3))],
    [80, short, deferred(81, short, at(hour))],
    [22, long, deferred(23, long, at(hour))],
    [23, long, disabled],
  ] as const) {
    const state = stateAfter(added, deferred(before, since, at(0)));
    t.same(recordDelivery(outcome, state, now), { kind: 'events', events: [event] }, `${before} ${since}`);
  }
});

const mails = (webhookId: number, address: string): WebhookEvent => ({
  name: 'WebhookAdded',
  data: { webhookId, url: `mailto:${address}`, types: ['import.held', 'import.failed'] },
});
const toAnn = { kind: 'notify', address: 'ann@example.com' } as const;
const stop = { kind: 'notify', address: null } as const;

tap.test('the address of e-mails', async (t) => {
  const ann = mails(1, 'ann@example.com');
  const gone = { name: 'WebhookRemoved', data: { webhookId: 1 } } as const;
  commands.given().when(toAnn).then(ann);
  commands.given(ann).when(toAnn).thenNothing();
  commands
    .given(ann)
    .when({ ...toAnn, address: 'bo@example.com' })
    .then(gone, mails(2, 'bo@example.com'));
  commands.given(ann).when(stop).then(gone);
  commands.given(added).when(stop).thenNothing();
  commands
    .given(ann, { name: 'WebhookDisabled', data: { webhookId: 1, problem: '550' } })
    .when(toAnn)
    .then({ name: 'WebhookEnabled', data: { webhookId: 1 } });
  commands
    .given()
    .when({ ...toAnn, address: 'ann' })
    .thenRefused({ reason: 'url-invalid', problem: 'must be an e-mail address' });
  commands.given(ann).when({ kind: 'rotate', webhookId: 1 }).thenRefused({ reason: 'webhook-unknown' });
  const webhook = notified(stateAfter(added, mails(2, 'ann@example.com')));
  t.equal(webhook && addressOf(webhook), 'ann@example.com');
  t.equal(webhook && shownUrl(webhook), 'mailto:a***@example.com');
  t.equal(notified(stateAfter(added)), undefined);
  t.match(decideClaim(1, stateAfter(ann), now), { events: exactly([{ data: { until: at(10 * 60_000) } }]) });
});

tap.test('ten webhooks beside the address', async () => {
  const nine = Array.from({ length: 9 }, (_, n): WebhookEvent => ({
    ...added,
    data: { ...added.data, webhookId: n + 1 },
  }));
  commands
    .given(...nine, mails(10, 'ann@example.com'))
    .when(add)
    .then({ ...added, data: { ...added.data, webhookId: 11 } });
});

tap.test('a state that was encoded goes on as the state itself', (t) => {
  const rotated: WebhookEvent = {
    name: 'WebhookSecretRotated',
    data: { webhookId: 1, generation: 2, previousUntil: at(hour) },
  };
  const second: WebhookEvent = { ...added, data: { ...added.data, webhookId: 2 } };
  const removed: WebhookEvent = { name: 'WebhookRemoved', data: { webhookId: 2 } };
  const events = [added, second, claim, deferred(1, at(0), at(hour)), rotated, removed, claim];
  for (let n = 0; n <= events.length; n++) {
    const state = events.slice(0, n).reduce(evolve, initialState());
    const decoded = decodeWebhooks(encodeWebhooks(state));
    t.strictSame(decoded && events.slice(n).reduce(evolve, decoded), events.reduce(evolve, initialState()));
  }
  const text = Buffer.from(encodeWebhooks(initialState())).toString();
  t.equal(decodeWebhooks(Buffer.from(text.replace('webhooks 1', 'webhooks 2'))), undefined, 'another format');
  t.end();
});
