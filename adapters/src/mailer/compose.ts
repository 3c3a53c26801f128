import MimeNode from 'nodemailer/lib/mime-node';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import * as base64 from 'nodemailer/lib/base64';
import * as quotedPrintable from 'nodemailer/lib/qp';
import { isEmailAddress } from '@rollcall/employee-lists/text';
import type { Mail, Mailbox, MailOutcome } from '@rollcall/application';

export interface ComposedMail {
  readonly raw: Buffer;
  readonly envelope: { readonly from: string; readonly to: string };
}

/** Safe in a header and in a file name. */
const messageIdForm = /^[\w.+-]{1,200}@[\w.-]{1,200}$/;

/** No control characters, so no text can begin a header. */
export const singleLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const asWords = (text: string): string => encodeWord(text, 'Q', 52);

/** Typed text that looks like an encoded word must be encoded, too. */
const hasEncodedWord = (text: string): boolean => text.includes('=?');

function mailboxHeader(key: 'From' | 'To', { name: typed, address }: Mailbox): string {
  const name = singleLine(typed);
  const value = hasEncodedWord(name)
    ? `${asWords(name)} <${MimeNode.encodeHeaderValue(key, { name: '', address })}>`
    : MimeNode.encodeHeaderValue(key, { name, address });
  return foldLines(`${key}: ${value}`);
}

const subjectHeader = (subject: string) =>
  hasEncodedWord(subject) ? { prepared: true, foldLines: true, value: asWords(subject) } : subject;

const refusal = (code: string, problem: string): MailOutcome => ({ outcome: 'failed', code, problem });

function problemOf({ from, to, messageId }: Mail): MailOutcome | undefined {
  if (!isEmailAddress(from.address)) return refusal('bad-sender', 'the sender is no e-mail address');
  if (!isEmailAddress(to.address)) return refusal('bad-address', 'the recipient is no e-mail address');
  if (!messageIdForm.test(messageId)) throw new TypeError('A Message-ID must be local@domain.');
  return undefined;
}

const eol = '\r\n';

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

/** Headers and body as sent. No value can add a header or a recipient. Returns an outcome if the mail is invalid. */
export function composeMail(mail: Mail): ComposedMail | MailOutcome {
  const problem = problemOf(mail);
  if (problem) return problem;
  const root = new MimeNode('multipart/alternative', { disableFileAccess: true, disableUrlAccess: true });
  root.setHeader({
    'Auto-Submitted': 'auto-generated',
    Subject: subjectHeader(singleLine(mail.subject)),
    'Message-ID': `<${mail.messageId}>`,
    Date: new Date(mail.date),
  });
  const parts = [
    partText(root.createChild('text/plain; charset=utf-8'), mail.text),
    partText(root.createChild('text/html; charset=utf-8'), mail.html),
  ];
  const mailboxes = [mailboxHeader('From', mail.from), mailboxHeader('To', mail.to)];
  const head = `${[...mailboxes, root.buildHeaders()].join(eol)}${eol}`;
  const between = `${eol}--${String(root.boundary)}`;
  const body = parts.map((part) => `${between}${eol}${part}`).join('');
  return {
    raw: Buffer.from(`${head}${body}${between}--${eol}`),
    envelope: { from: mail.from.address, to: mail.to.address },
  };
}
