import { randomUUID } from 'node:crypto';
import MimeNode from 'nodemailer/lib/mime-node';
import { encodeWord, foldLines, hasLongerLines, isPlainText } from 'nodemailer/lib/mime-funcs';
import * as base64 from 'nodemailer/lib/base64';
import * as quotedPrintable from 'nodemailer/lib/qp';
import { templates } from '@rollcall/domain';
import { isEmailAddress } from '@rollcall/employee-lists/text';
import type { Mail, Mailbox, MailOutcome } from '@rollcall/application';

export interface ComposedMail {
  readonly raw: Buffer;
  readonly envelope: { readonly from: string; readonly to: string };
}

/** Safe in a header and in a file name. */
const messageIdForm = /^[\w.+-]{1,200}@[\w.-]{1,200}$/;

const asWords = (text: string): string => encodeWord(text, 'Q', 52);

/** Typed text that looks like an encoded word must be encoded, too. */
const hasEncodedWord = (text: string): boolean => text.includes('=?');

/** Encodes header values. A node for each would draw random bytes that nothing needs. */
const node = new MimeNode(false);

const header = (key: string, value: string): string => foldLines(`${key}: ${value}`);

function mailboxHeader(key: 'From' | 'To', { name: typed, address }: Mailbox): string {
  const name = templates.onOneLine(typed);
  const value = hasEncodedWord(name)
    ? `${asWords(name)} ${node.encodeHeaderValue(key, { name: '', address }).replace(/^[^<].*/, '<$&>')}`
    : node.encodeHeaderValue(key, { name, address });
  return header(key, value);
}

const senders = new WeakMap<Mailbox, string>();

function senderHeader(sender: Mailbox): string {
  const known = senders.get(sender) ?? mailboxHeader('From', sender);
  senders.set(sender, known);
  return known;
}

function subjectHeader(typed: string): string {
  const subject = templates.onOneLine(typed);
  return header(
    'Subject',
    hasEncodedWord(subject) ? asWords(subject) : node.encodeHeaderValue('Subject', subject),
  );
}

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
  // No text that is mailed knows it, so none can end a part.
  const boundary = randomUUID();
  const head = [
    senderHeader(mail.from),
    mailboxHeader('To', mail.to),
    'Auto-Submitted: auto-generated',
    subjectHeader(mail.subject),
    header('Message-ID', `<${mail.messageId}>`),
    header('Date', node.encodeHeaderValue('Date', new Date(mail.date))),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
  ];
  const parts = [partText('text/plain', mail.text), partText('text/html', mail.html)];
  const body = parts.flatMap((part) => [`--${boundary}`, part]);
  return {
    raw: Buffer.from([...head, ...body, `--${boundary}--`, ''].join(eol)),
    envelope: { from: mail.from.address, to: mail.to.address },
  };
}

const withName = /^"?([^"<>]*?)"? *<([^<>\s]+)>$/;

/** `Name <a@example.com>`, `"Name, of Acme" <a@example.com>` or `a@example.com`; otherwise undefined. */
export function parseMailbox(text: string): Mailbox | undefined {
  if (templates.onOneLine(text) !== text) return undefined;
  const [, name = '', address = text] = withName.exec(text) ?? [];
  return isEmailAddress(address) ? { name: name.trim(), address } : undefined;
}
