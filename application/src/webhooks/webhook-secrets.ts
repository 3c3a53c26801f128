import { createHmac } from 'node:crypto';

export interface WebhookOf {
  readonly companyId: number;
  readonly webhookId: number;
}

export type SecretOf = (of: WebhookOf, generation: number) => string;

/** Secrets follow from the installation's key, so that none is stored: `whsec_` and 32 bytes in base64. */
export const webhookSecrets =
  (digestKey: Uint8Array): SecretOf =>
  ({ companyId, webhookId }, generation) =>
    `whsec_${createHmac('sha256', digestKey).update(`webhook/${companyId}/${webhookId}/${generation}`).digest('base64')}`;
