import { changeWebhook, readWebhooks, secretsOf, webhookSecrets } from '@rollcall/application';
import { openWebhookSender } from '@rollcall/adapters';
import type { WebhookType } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { installationKeys } from '@rollcall/host';
import type { CliIo } from '../cli-io.js';
import { requireCompany } from '../known-company.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withSession, type Session } from '../session.js';

export interface ManageWebhookOptions {
  readonly company: number;
  readonly webhook: number;
  readonly reason?: string;
  readonly json?: boolean;
}

interface AddOptions extends Omit<ManageWebhookOptions, 'webhook'> {
  readonly url: string;
  readonly events: readonly WebhookType[];
}

async function secretsIn({ log, config, clock }: Session, companyId: number, webhook: webhooks.Webhook) {
  const { digestKey } = await installationKeys(log, config.keyFolder);
  return secretsOf({ clock, secretOf: webhookSecrets(digestKey) }, { companyId, webhook });
}

const unknownWebhook = (companyId: number): Refusal =>
  new Refusal(
    `Company ${companyId} has no such webhook, or it sends e-mails: see \`rollcall webhook list --company ${companyId}\`.`,
  );

function refusalOf(companyId: number, rejection: webhooks.WebhookRejection): Refusal {
  switch (rejection.reason) {
    case 'webhook-unknown':
      return unknownWebhook(companyId);
    case 'too-many':
      return new Refusal(
        `Company ${companyId} has ${webhooks.maxWebhooks} webhooks, the most: remove one first.`,
      );
    case 'url-invalid':
      return new Refusal(`The URL ${rejection.problem}.`);
    default:
      return rejection satisfies never;
  }
}

async function changed(
  session: Session,
  command: Parameters<typeof changeWebhook>[2],
  reason: string | undefined,
): Promise<webhooks.Webhook | undefined> {
  const { companyId } = command;
  await requireCompany(session, companyId);
  const outcome = await changeWebhook(session, session.context(companyId, reason), command);
  if (outcome.kind === 'refused') throw refusalOf(companyId, outcome.rejection);
  return outcome.webhook;
}

export const addWebhook = (io: CliIo, options: AddOptions): Promise<void> =>
  withSession(io, async (session) => {
    const { company: companyId, url, events: types, reason, json = false } = options;
    const webhook = await changed(session, { kind: 'add', companyId, url, types }, reason);
    if (!webhook) throw unknownWebhook(companyId);
    const { webhookId } = webhook;
    const [secret] = await secretsIn(session, companyId, webhook);
    await answer(io, json, { companyId, webhookId, secret }, [
      `Webhook ${webhookId} of company ${companyId} gets ${webhook.types.join(', ')}.`,
      `Its messages are signed with ${secret}`,
    ]);
  });

const doneTexts = { remove: 'is removed', enable: 'is active', rotate: 'has a new secret' } as const;

export const manageWebhook = (
  io: CliIo,
  kind: keyof typeof doneTexts,
  { company: companyId, webhook: webhookId, reason, json = false }: ManageWebhookOptions,
): Promise<void> =>
  withSession(io, async (session) => {
    const webhook = await changed(session, { kind, companyId, webhookId }, reason);
    const text = `Webhook ${webhookId} of company ${companyId} ${doneTexts[kind]}.`;
    if (kind !== 'rotate' || !webhook)
      return answer(io, json, { companyId, webhookId, [kind]: true }, [text]);
    const [secret] = await secretsIn(session, companyId, webhook);
    await answer(io, json, { companyId, webhookId, secret, previousUntil: webhook.previousUntil }, [
      text,
      `Its messages are signed with ${secret}, and with the one before until ${webhook.previousUntil ?? ''} or the next rotation`,
    ]);
  });

export const testWebhook = (
  io: CliIo,
  { company: companyId, webhook: webhookId, json = false }: ManageWebhookOptions,
): Promise<void> =>
  withSession(io, async (session) => {
    await requireCompany(session, companyId);
    const webhook = (await readWebhooks(session, companyId)).webhooks.get(webhookId);
    if (!webhook || webhooks.addressOf(webhook) !== undefined) throw unknownWebhook(companyId);
    const timestamp = session.clock.now();
    const body = {
      type: 'webhook.test',
      timestamp: new Date(timestamp).toISOString(),
      data: { companyId, webhookId },
    };
    const sender = openWebhookSender({ allowed: session.config.webhookNetworks });
    const secrets = await secretsIn(session, companyId, webhook);
    const sent = await sender.send({
      ...{ url: webhook.url, id: io.newId(), body: JSON.stringify(body), timestamp, secrets },
    });
    if (!sent.accepted)
      throw new Refusal(`Webhook ${webhookId} did not accept the message: ${sent.problem}.`);
    await answer(io, json, { companyId, webhookId, accepted: true }, [
      `Webhook ${webhookId} accepted the message.`,
    ]);
  });
