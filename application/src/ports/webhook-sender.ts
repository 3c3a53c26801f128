/** One message of a webhook, as Standard Webhooks says. */
export interface WebhookMessage {
  readonly url: string;
  /** The same for every attempt and every webhook. */
  readonly id: string;
  /** JSON; ids and counts only. */
  readonly body: string;
  /** Milliseconds since the epoch: of this attempt. */
  readonly timestamp: number;
  /** `whsec_...`; the message is signed with each. */
  readonly secrets: readonly string[];
}

/** Accepted: answered 2xx. The problem names no value of the message or of the answer. */
export type WebhookAnswer =
  { readonly accepted: true } | { readonly accepted: false; readonly problem: string };

export interface WebhookSender {
  /** Throws only for a bug. An answer that was lost counts as not accepted. */
  send(message: WebhookMessage): Promise<WebhookAnswer>;
}
