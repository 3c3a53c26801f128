import MimeNode from 'nodemailer/lib/mime-node';
import { encodeWord, foldLines, hasLongerLines, isPlainText } from 'nodemailer/lib/mime-funcs';
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
const singleLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

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

const senders = new WeakMap<Mailbox, string>();

function senderHeader(sender: Mailbox): string {
  const header = senders.get(sender) ?? mailboxHeader('From', sender);
  senders.set(sender, header);
  return header;
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

const encodings = {
  '7bit': (text: string) => text,
  'quoted-printable': (text: string) => quotedPrintable.wrap(quotedPrintable.encode(text)),
  base64: (text: string) => base64.wrap(base64.encode(text)),
};

/** As MimeNode chooses it; its own way takes 20 us longer for each part. */
function encodingOf(text: string): keyof typeof encodings {
  if (isPlainText(text) && !hasLongerLines(text, 76)) return '7bit';
  const lengthWithout = (letters: RegExp): number => text.replace(letters, '').length;
  const [latin, others] = [/[a-z]+/gi, /[^\t\n\r -\x7f]+/g].map((one) => text.length - lengthWithout(one));
  return Number(others) < Number(latin) ? 'quoted-printable' : 'base64';
}

function partText(type: string, text: string): string {
  const lines = text.replace(/\r?\n|\r/g, eol);
  const encoding = encodingOf(lines);
  const headers = [`Content-Type: ${type}; charset=utf-8`, `Content-Transfer-Encoding: ${encoding}`];
  return [...headers, '', encodings[encoding](lines)].join(eol);
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
  const parts = [partText('text/plain', mail.text), partText('text/html', mail.html)];
  const mailboxes = [senderHeader(mail.from), mailboxHeader('To', mail.to)];
  const head = `${[...mailboxes, root.buildHeaders()].join(eol)}${eol}`;
  const between = `${eol}--${String(root.boundary)}`;
  const body = parts.map((part) => `${between}${eol}${part}`).join('');
  return {
    raw: Buffer.from(`${head}${body}${between}--${eol}`),
    envelope: { from: mail.from.address, to: mail.to.address },
  };
}

const withName = /^"?([^"<>]*?)"? *<([^<>\s]+)>$/;

/** `Name <a@example.com>`, `"Name, of Acme" <a@example.com>` or `a@example.com`; otherwise undefined. */
export function parseMailbox(text: string): Mailbox | undefined {
  if (singleLine(text) !== text) return undefined;
  const [, name = '', address = text] = withName.exec(text) ?? [];
  return isEmailAddress(address) ? { name: name.trim(), address } : undefined;
}
