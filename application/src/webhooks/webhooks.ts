import type { CallContext } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { isOlder, loadState, type Fold, type LoadedState } from '../event-store/load-state.js';
import { eventNamed, type LoadedEvent } from '../event-store/loaded-event.js';
import { SavedStates, SHORT_TAIL, type SavedStatesReader } from '../event-store/saved-states.js';
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

export type Loaded = LoadedState<webhooks.WebhooksState>;

/** The webhooks of companies as far as they were read, and their snapshots: each delivery appends to the company's stream. */
export class WebhookStates extends SavedStates<webhooks.WebhooksState> {
  readonly #known = new Map<string, Loaded>();

  constructor({ snapshots, logger }: Omit<SavedStatesReader, 'log'>) {
    const { encodeWebhooks: encode, decodeWebhooks: decode } = webhooks;
    super({ snapshots, encode, decode, leastTail: () => SHORT_TAIL, logger });
  }

  override get(stream: string): Loaded | undefined {
    return this.#known.get(stream);
  }

  override put(stream: string, loaded: Loaded): void {
    if (isOlder(loaded, this.get(stream))) return;
    this.#known.set(stream, loaded);
    super.put(stream, loaded);
  }
}

/** What was in the log at the call. */
export async function loadWebhooks(
  log: SavedStatesReader['log'],
  companyId: number,
  store: WebhookStates,
): Promise<Loaded> {
  return loadState({ log, stream: webhooksStream(companyId), fold: webhooksFold, store });
}

export async function readWebhooks(
  reader: SavedStatesReader,
  companyId: number,
): Promise<webhooks.WebhooksState> {
  const store = new WebhookStates(reader);
  const { state } = await loadWebhooks(reader.log, companyId, store);
  await store.settled();
  return state;
}

type WebhookChanged =
  | { readonly kind: 'done'; readonly changed: boolean; readonly webhook: webhooks.Webhook | undefined }
  | { readonly kind: 'refused'; readonly rejection: webhooks.WebhookRejection };

/** `webhook` is as it is now. */
export async function changeWebhook(
  deps: DecideAndAppendDeps & Omit<SavedStatesReader, 'log'>,
  context: CallContext,
  command: webhooks.WebhookCommand & { readonly companyId: number },
): Promise<WebhookChanged> {
  const store = new WebhookStates(deps);
  const outcome = await decideAndAppend<webhooks.WebhooksState, webhooks.WebhookRejection>(deps, {
    stream: webhooksStream(command.companyId),
    context,
    fold: webhooksFold,
    store,
    decide: (state) => webhooks.decide(command, state, deps.clock.now()),
  });
  await store.settled();
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
