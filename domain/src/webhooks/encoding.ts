import type { Webhook, WebhooksState } from './evolve.js';

/** Another number where `Webhook` changes. */
const FORMAT = 'webhooks 1';

interface Encoded {
  readonly format: string;
  readonly webhooks: readonly Webhook[];
  readonly lastId: number;
}

/** A state as JSON, for a snapshot. */
export function encodeWebhooks({ webhooks, lastId }: WebhooksState): Uint8Array {
  const encoded: Encoded = { format: FORMAT, webhooks: [...webhooks.values()], lastId };
  return new TextEncoder().encode(JSON.stringify(encoded));
}

/** Undefined for another format. */
export function decodeWebhooks(bytes: Uint8Array): WebhooksState | undefined {
  const { format, webhooks, lastId } = JSON.parse(new TextDecoder().decode(bytes)) as Encoded;
  if (format !== FORMAT) return undefined;
  return { webhooks: new Map(webhooks.map((each) => [each.webhookId, each])), lastId };
}
