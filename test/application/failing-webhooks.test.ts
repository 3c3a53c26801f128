import { decideAndAppend, failingWebhooks, type EventLog, type WebhookStates } from '@rollcall/application';

import t from 'tap';
import { addWebhook } from '../worker/webhooks.support.js';
import { withMembers } from '../support/with-members.js';
import { callContext } from './decide-and-append.support.js';
import { company } from './imports.support.js';

t.test('failing webhooks are found without folding their streams anew', async (t) => {
  const on = await company(t);
  const from: unknown[] = [];
  const log = withMembers<EventLog>(on.log, {
    readStream: (stream, options) => {
      if (stream.startsWith('webhooks-')) from.push(options?.from ?? 0);
      return on.log.readStream(stream, options);
    },
  });
  const states: WebhookStates = new Map();
  await addWebhook(on, 'https://a.example.com/');
  t.strictSame(await failingWebhooks(log, states), []);
  const disabled = { name: 'WebhookDisabled', data: { webhookId: 1, problem: 'answered 500' } } as const;
  await decideAndAppend(on, {
    stream: 'webhooks-7',
    context: callContext(),
    fold: { initial: () => undefined, evolve: () => undefined },
    decide: () => ({ kind: 'events', events: [disabled] }),
  });
  from.length = 0;
  const found = [{ companyId: 7, webhook: { status: 'disabled' } }];
  t.match(await failingWebhooks(log, states), found);
  t.match(await failingWebhooks(log, states), found);
  t.strictSame(from, [1, 2]);
});
