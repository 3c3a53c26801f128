import { templates } from '@rollcall/domain';
import type { Mailbox, Mailer } from '../ports/mailer.js';
import type { WebhookAnswer } from '../ports/webhook-sender.js';
import type { Notification } from './notification.js';

export interface NotifierDeps {
  readonly mailer: Pick<Mailer, 'send'>;
  readonly sender: Mailbox;
  /** Of the Message-ID. */
  readonly domain: string;
  /** Where people open the operations page; undefined: the command line is named instead. */
  readonly operationsUrl: string | undefined;
}

export interface NotificationMail {
  readonly address: string;
  /** Of the event: each attempt has the same Message-ID. */
  readonly id: string;
  readonly notification: Notification;
  /** Milliseconds since the epoch. */
  readonly date: number;
  readonly mayLeave: () => boolean;
}

export type Notify = (mail: NotificationMail) => Promise<WebhookAnswer>;

/** Sends an e-mail about an import. The problem names no address. */
export const notifier =
  ({ mailer, sender, domain, operationsUrl }: NotifierDeps): Notify =>
  async ({ address, id, notification, date, mayLeave }) => {
    const { subject, lines, operationId } = notification;
    const link = operationsUrl && `${operationsUrl}/operations/imports/${operationId}`;
    const all = [...lines, link ?? `To see it: rollcall imports show --operation ${operationId}`];
    const html = all.map((line) => `<p>${linked(templates.escapeHtml(line), link)}</p>`).join('\n');
    const to = { name: '', address };
    const mail = { from: sender, to, subject, text: `${all.join('\n\n')}\n`, html };
    const sent = await mailer.send({ ...mail, messageId: `${id}@${domain}`, date }, { mayLeave });
    if (sent.outcome === 'sent') return { accepted: true };
    return { accepted: false, problem: sent.outcome === 'withheld' ? 'no time left' : sent.problem };
  };

const linked = (line: string, link: string | undefined): string =>
  line === link ? `<a href="${line}">${line}</a>` : line;
