import MailComposer from 'nodemailer/lib/mail-composer';
import { isEmailAddress } from '@rollcall/domain';
import type { Mail, Mailbox, MailOutcome } from '@rollcall/application';

/** A message as it goes over the wire, and who hears of it. */
export interface ComposedMail {
  readonly raw: Buffer;
  readonly envelope: { readonly from: string; readonly to: string };
}

/** A Message-ID that can stand in a header and in a file's name. */
const messageIdForm = /^[\w.+-]{1,200}@[\w.-]{1,200}$/;

/** Without line breaks and other control characters: nothing in it can begin a header. */
export const singleLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const cleaned = ({ name, address }: Mailbox): Mailbox => ({ name: singleLine(name), address });

const refusal = (code: string, problem: string): MailOutcome => ({ outcome: 'failed', code, problem });

/** What is wrong with a mail before anybody is asked to take it. */
function problemOf({ from, to, messageId }: Mail): MailOutcome | undefined {
  if (!isEmailAddress(from.address)) return refusal('bad-sender', 'the sender is no e-mail address');
  if (!isEmailAddress(to.address)) return refusal('bad-address', 'the recipient is no e-mail address');
  if (!messageIdForm.test(messageId)) throw new TypeError('A Message-ID must be local@domain.');
  return undefined;
}

/**
 * Headers and body as they leave. Names and the subject lose their line breaks, addresses have to be addresses: no value
 * makes a header of its own, nor a second recipient. An outcome where the mail cannot be one.
 */
export async function composeMail(mail: Mail): Promise<ComposedMail | MailOutcome> {
  const problem = problemOf(mail);
  if (problem) return problem;
  const composer = new MailComposer({
    from: cleaned(mail.from),
    to: cleaned(mail.to),
    subject: singleLine(mail.subject),
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.messageId}>`,
    date: new Date(mail.date),
    headers: { 'Auto-Submitted': 'auto-generated' },
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const raw = await composer.compile().build();
  return { raw, envelope: { from: mail.from.address, to: mail.to.address } };
}
