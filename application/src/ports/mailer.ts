/**
 * The mailer's port. It sends one message and says what became of it; when and how often is the caller's matter. A message
 * that is sent again under the same Message-ID is the same message to the one who gets it.
 */

export interface Mailbox {
  /** Shown; empty where there is none. */
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

/** What became of a message. Codes and texts name no address. */
export type MailOutcome =
  | {
      readonly outcome: 'sent';
      /** What the server answered, at most 500 characters. */
      readonly response: string;
    }
  /** Not now: the server's 4xx, a server that is away, or an answer that did not come. It may be there all the same. */
  | { readonly outcome: 'deferred'; readonly code: string; readonly problem: string }
  /** The server will not have it, or it cannot be a message. */
  | { readonly outcome: 'failed'; readonly code: string; readonly problem: string }
  /** `mayLeave` said no; nothing was sent. */
  | { readonly outcome: 'withheld' };

export interface SendOptions {
  /** Asked at the last moment before the message leaves, after all waiting; false holds it back. */
  readonly mayLeave?: () => boolean;
}

export interface Mailer {
  /** Resolves with what became of the message. Throws only where there is a bug. */
  send(mail: Mail, options?: SendOptions): Promise<MailOutcome>;
  /** Ends connections; what is being sent is ended first. */
  close(): Promise<void>;
}

/** The mailer cannot be used as it is configured. */
export class MailerUnusable extends Error {
  override readonly name = 'MailerUnusable';
}
