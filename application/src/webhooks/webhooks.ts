import type { CallContext } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import { eventNamed, type LoadedEvent } from '../event-store/loaded-event.js';
import type { EventReader } from '../ports/event-log.js';
import { createHmac } from 'node:crypto';

export const webhooksPrefix = 'webhooks-';
export const webhooksStream = (companyId: number): string => `${webhooksPrefix}${companyId}`;

/** A new webhook has delivered up to the event that added it. */
function withPlace(state: webhooks.WebhooksState, { stream, revision }: LoadedEvent): webhooks.WebhooksState {
  const added = [...state.webhooks].map(
    ([id, webhook]) =>
      [id, webhook.delivered ? webhook : { ...webhook, delivered: { stream, revision } }] as const,
  );
  return { ...state, webhooks: new Map(added) };
}

export const webhooksFold: Fold<webhooks.WebhooksState> = {
  initial: webhooks.initialState,
  evolve: async (state, event) => {
    const happened = await eventNamed(event, webhooks.webhookEventNames);
    return happened ? withPlace(webhooks.evolve(state, happened), event) : state;
  },
};

export async function readWebhooks(log: EventReader, companyId: number): Promise<webhooks.WebhooksState> {
  return (await foldStream(log, webhooksStream(companyId), webhooksFold)).state;
}

type WebhookChanged =
  | { readonly kind: 'done'; readonly changed: boolean; readonly webhook: webhooks.Webhook | undefined }
  | { readonly kind: 'refused'; readonly rejection: webhooks.WebhookRejection };

/** `webhook` is as it is now. */
export async function changeWebhook(
  deps: DecideAndAppendDeps,
  context: CallContext,
  command: webhooks.WebhookCommand & { readonly companyId: number },
): Promise<WebhookChanged> {
  const outcome = await decideAndAppend<webhooks.WebhooksState, webhooks.WebhookRejection>(deps, {
    stream: webhooksStream(command.companyId),
    context,
    fold: webhooksFold,
    decide: (state) => webhooks.decide(command, state, deps.clock.now()),
  });
  if (outcome.kind === 'refused') return outcome;
  const { state } = outcome.loaded;
  const changed = outcome.kind === 'appended';
  if (command.kind === 'notify') return { kind: 'done', changed, webhook: webhooks.notified(state) };
  const id = command.kind === 'add' ? state.lastId : command.webhookId;
  return { kind: 'done', changed, webhook: state.webhooks.get(id) };
}

interface WebhookOf {
  readonly companyId: number;
  readonly webhookId: number;
}

export type SecretOf = (of: WebhookOf, generation: number) => string;

/** Secrets follow from the installation's key, so that none is stored: `whsec_` and 32 bytes in base64. */
export const webhookSecrets =
  (digestKey: Uint8Array): SecretOf =>
  ({ companyId, webhookId }, generation) =>
    `whsec_${createHmac('sha256', digestKey).update(`webhook/${companyId}/${webhookId}/${generation}`).digest('base64')}`;
