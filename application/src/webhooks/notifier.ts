import { templates, type webhooks } from '@rollcall/domain';
import { inTurn } from '../concurrency.js';
import { recordedAtOf } from '../event-store/linked-events.js';
import type { Mailbox, Mailer } from '../ports/mailer.js';
import type { WebhookAnswer } from '../ports/webhook-sender.js';
import type { Notification, Notice } from './notification.js';
import type { Position, RecordedEvent } from '../ports/event-log.js';

interface NotifierDeps {
  readonly mailer: Pick<Mailer, 'send'>;
  readonly sender: Mailbox;
  /** Of the Message-ID. */
  readonly domain: string;
  /** Where people open the operations page; undefined: the command line is named instead. */
  readonly operationsUrl: string | undefined;
}

interface NotificationMail {
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

/** Notices of one webhook in memory; more of them are read from the log again. */
const maxQueued = 1_000;

/** The undelivered notices of one webhook, in the order of the log. */
export class WebhookQueue {
  readonly companyId: number;
  webhook: webhooks.Webhook;
  readonly notices: Notice[] = [];
  /** What was delivered up to here is no longer among the notices. */
  alignedTo: webhooks.EventPlace | null;
  /** Every event up to here was considered. */
  upTo: Position;
  /** The last event that was considered. */
  seen: webhooks.EventPlace | undefined;
  /** When the place was recorded; after a start, when its event was: a worker may start anew each day. */
  recordedAt: number | undefined;
  /** Later events are left in the log until there is room. */
  isFull = false;
  /** An event cannot be read: nothing later is sent. */
  isStuck = false;
  /** Of all webhooks of the company: they append to one stream. */
  inTurn = inTurn();

  constructor(companyId: number, webhook: webhooks.Webhook, place: RecordedEvent) {
    this.companyId = companyId;
    this.webhook = webhook;
    this.alignedTo = webhook.delivered;
    this.upTo = place.position;
    this.recordedAt = recordedAtOf(place);
  }

  wants(event: RecordedEvent): boolean {
    return !this.isFull && event.position > this.upTo;
  }

  /** Without a notice: the event is of no interest to this webhook. */
  take({ position, stream, revision }: RecordedEvent, notice: Notice | undefined): void {
    this.isFull = notice !== undefined && this.notices.length >= maxQueued;
    if (this.isFull) return;
    if (notice !== undefined) this.notices.push(notice);
    this.upTo = position;
    this.seen = { stream, revision };
  }

  /** All events up to here were shown to the queues with room; one that has room again reads on from its own place. */
  readUpTo(position: Position | undefined): void {
    if (!this.isFull && position !== undefined && position > this.upTo) this.upTo = position;
    if (this.hasRoomAgain) this.isFull = false;
  }

  /** Another worker has delivered up to here. */
  dropUpTo(position: Position, delivered: webhooks.EventPlace): void {
    const left = this.notices.findIndex((notice) => notice.position > position);
    this.notices.splice(0, left < 0 ? this.notices.length : left);
    this.alignedTo = delivered;
    if (position <= this.upTo) return;
    this.upTo = position;
    this.seen = delivered;
  }

  /** Whether the log must be read again from `upTo` on. */
  get hasRoomAgain(): boolean {
    return this.isFull && !this.isStuck && this.notices.length < maxQueued / 2;
  }
}
