import {
  decideAndAppend,
  failingWebhooks,
  readWebhooks,
  type EventLog,
  ReadModelsUnavailable,
  WebhookFeed,
  WebhookStates,
} from '@rollcall/application';

import type { DomainEvent } from '@rollcall/contracts';
import t from 'tap';
import { addWebhook } from '../worker/webhooks.support.js';
import { exactly } from '../support/exactly.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';
import { callContext } from './decide-and-append.support.js';
import { company, type Company } from './imports.support.js';

const append = (on: Company, events: readonly DomainEvent[]) =>
  decideAndAppend(on, {
    stream: 'webhooks-7',
    context: callContext(),
    fold: { initial: () => undefined, evolve: () => undefined },
    decide: () => ({ kind: 'events', events }),
  });

t.test('failing webhooks are found without folding their streams anew', async (t) => {
  const on = await company(t);
  const from: unknown[] = [];
  const log = withMembers<EventLog>(on.log, {
    readStream: (stream, options) => {
      if (stream.startsWith('webhooks-')) from.push(options?.from ?? 0);
      return on.log.readStream(stream, options);
    },
  });
  const states = new WebhookStates({});
  await addWebhook(on, 'https://a.example.com/');
  t.strictSame(await failingWebhooks(log, states), []);
  await append(on, [{ name: 'WebhookDisabled', data: { webhookId: 1, problem: 'answered 500' } }]);
  from.length = 0;
  const found = exactly([{ companyId: 7, webhook: { status: 'disabled' } }]);
  t.match(await failingWebhooks(log, states), found);
  t.match(await failingWebhooks(log, states), found);
  t.strictSame(from, [0, 1], 'each from the event that is known on');
});

t.test('the next reader goes on from a snapshot, where many deliveries were folded', async (t) => {
  const on = await company(t);
  await addWebhook(on, 'https://a.example.com/');
  const delivered = (n: number): DomainEvent => ({
    name: 'WebhookDelivered',
    data: { webhookId: 1, stream: 'company-7', revision: n, count: 1 },
  });
  for (let n = 0; n < 1_050; n += 150)
    await append(
      on,
      Array.from({ length: 150 }, (_, each) => delivered(n + each)),
    );
  const from: unknown[] = [];
  const log = withMembers<EventLog>(on.log, {
    readStream: (stream, options) => {
      from.push(options?.from ?? 0);
      return on.log.readStream(stream, options);
    },
  });
  const warn = t.captureFn(() => undefined);
  const put = () => Promise.reject(new ReadModelsUnavailable('MongoDB is away'));
  await readWebhooks({ ...on, snapshots: withMembers(on.snapshots, { put }), logger: { warn } }, 7);
  const details = { stream: 'webhooks-7', problem: 'MongoDB is away' };
  t.strictSame(warn.args(), [[details, 'no state snapshot was written']]);
  const first = await readWebhooks({ ...on, log }, 7);
  await append(on, [{ name: 'WebhookDisabled', data: { webhookId: 1, problem: 'answered 500' } }]);
  const second = await readWebhooks({ ...on, log }, 7);
  t.strictSame(from, [0, 1_050]);
  t.match(first.webhooks.get(1), { status: 'active', delivered: { revision: 1_049 } });
  t.match(second.webhooks.get(1), { status: 'disabled', delivered: { revision: 1_049 } });
  t.strictSame(await readWebhooks({ log }, 7), second, 'as without snapshots');
});

t.test('a slow read does not put an older state in the place of what was appended meanwhile', async (t) => {
  const on = await company(t);
  const states = new WebhookStates({});
  await addWebhook(on, 'https://a.example.com/');
  await failingWebhooks(on.log, states);
  const older = states.get('webhooks-7');
  await addWebhook(on, 'https://b.example.com/');
  await failingWebhooks(on.log, states);
  const newer = states.get('webhooks-7');
  t.notOk(older === undefined || older === newer);
  if (older) states.put('webhooks-7', older);
  t.equal(states.get('webhooks-7'), newer);
});

t.test(
  'a worker that records late does not show its webhooks as they were before another change',
  async (t) => {
    const on = await company(t);
    await addWebhook(on, 'https://a.example.com/');
    await append(on, [{ name: 'WebhookDisabled', data: { webhookId: 1, problem: 'answered 500' } }]);
    const before = new WebhookStates({});
    await failingWebhooks(on.log, before);
    await append(on, [{ name: 'WebhookEnabled', data: { webhookId: 1 } }]);
    const nothing = (): void => undefined;
    const feed = new WebhookFeed({ ...on, states: new WebhookStates({}), onWork: nothing, onStuck: nothing });
    const end = new AbortController();
    const ended = feed.run(end.signal);
    const [queue] = await until('the webhook is there', () => {
      const queues = [...feed.queues()];
      return queues.length > 0 && queues;
    });
    const disabled = before.get('webhooks-7');
    t.ok(disabled);
    if (disabled) feed.put(7, disabled);
    t.equal(queue?.webhook.status, 'active');
    end.abort();
    await ended;
  },
);
