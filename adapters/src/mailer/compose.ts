import MimeNode from 'nodemailer/lib/mime-node';
import * as base64 from 'nodemailer/lib/base64';
import * as quotedPrintable from 'nodemailer/lib/qp';
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

const eol = '\r\n';

/** A part's headers and its text, encoded as they say. The library's own way goes through streams, at several times the cost. */
function partText(part: MimeNode, text: string): string {
  const lines = text.replace(/\r?\n|\r/g, eol);
  part.setContent(lines);
  return `${part.buildHeaders()}${eol}${eol}${encoded(lines, part.getTransferEncoding())}`;
}

function encoded(text: string, encoding: string | false): string {
  if (encoding === 'base64') return base64.wrap(base64.encode(text));
  if (encoding === 'quoted-printable') return quotedPrintable.wrap(quotedPrintable.encode(text));
  return text;
}

/**
 * Headers and body as they leave. Names and the subject lose their line breaks, addresses have to be addresses: no value
 * makes a header of its own, nor a second recipient. An outcome where the mail cannot be one.
 */
export function composeMail(mail: Mail): ComposedMail | MailOutcome {
  const problem = problemOf(mail);
  if (problem) return problem;
  const root = new MimeNode('multipart/alternative', { disableFileAccess: true, disableUrlAccess: true });
  root.setHeader({
    'Auto-Submitted': 'auto-generated',
    From: cleaned(mail.from),
    To: cleaned(mail.to),
    Subject: singleLine(mail.subject),
    'Message-ID': `<${mail.messageId}>`,
    Date: new Date(mail.date),
  });
  const parts = [
    partText(root.createChild('text/plain; charset=utf-8'), mail.text),
    partText(root.createChild('text/html; charset=utf-8'), mail.html),
  ];
  const head = `${root.buildHeaders()}${eol}`;
  const between = `${eol}--${String(root.boundary)}`;
  const body = parts.map((part) => `${between}${eol}${part}`).join('');
  return {
    raw: Buffer.from(`${head}${body}${between}--${eol}`),
    envelope: { from: mail.from.address, to: mail.to.address },
  };
}
