/** Sends one message and returns its outcome. The recipient sees a repeat under the same Message-ID as the same message. */

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

export interface Mail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** `local@domain`, without angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly date: number;
}

/** Codes and texts name no address. */
export type MailOutcome =
  | {
      readonly outcome: 'sent';
      readonly response: string;
    }
  /** A 4xx, an outage or a missing answer: the message may have been delivered. */
  | { readonly outcome: 'deferred'; readonly code: string; readonly problem: string }
  /** A permanent refusal, or not a valid message. */
  | { readonly outcome: 'failed'; readonly code: string; readonly problem: string }
  /** `mayLeave` returned false; nothing was sent. */
  | { readonly outcome: 'withheld' };

export interface SendOptions {
  /** Asked right before the message leaves, after all waiting. */
  readonly mayLeave?: () => boolean;
}

export interface Mailer {
  /** Throws only for a bug. */
  send(mail: Mail, options?: SendOptions): Promise<MailOutcome>;
  /** Ends connections after the message in flight. */
  close(): Promise<void>;
}

export class MailerUnusable extends Error {
  override readonly name = 'MailerUnusable';
}

interface InvitedEmployee {
  readonly companyId: number;
  readonly number: number;
  readonly messageId: string;
  readonly now: number;
}

export type LinkFor = (invited: InvitedEmployee) => string;
