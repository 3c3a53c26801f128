import type { webhooks } from '@rollcall/domain';
import type { Position, RecordedEvent } from '../ports/event-log.js';
import type { Notice } from './notices.js';

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
  /** Later events are left in the log until there is room. */
  isFull = false;
  isBusy = false;
  /** An event cannot be read: nothing later is sent. */
  isStuck = false;

  constructor(companyId: number, webhook: webhooks.Webhook, upTo: Position) {
    this.companyId = companyId;
    this.webhook = webhook;
    this.alignedTo = webhook.delivered;
    this.upTo = upTo;
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

  /** Another worker has delivered up to here. */
  dropUpTo(position: Position): void {
    const left = this.notices.findIndex((notice) => notice.position > position);
    this.notices.splice(0, left < 0 ? this.notices.length : left);
    if (position > this.upTo) this.upTo = position;
  }

  /** Whether the log must be read again from `upTo` on. */
  get hasRoomAgain(): boolean {
    return this.isFull && !this.isStuck && this.notices.length < maxQueued / 2;
  }
}
