import MimeNode from 'nodemailer/lib/mime-node';
import * as base64 from 'nodemailer/lib/base64';
import { foldLines, hasLongerLines, isPlainText } from 'nodemailer/lib/mime-funcs';
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
const lineLength = 76;

/** Only encodes values: a tree of nodes for each message would cost several times as much. */
const encoder = new MimeNode();

const header = (name: string, value: string | Mailbox | Date): string =>
  foldLines(`${name}: ${encoder.encodeHeaderValue(name, value)}`, lineLength);

/** A part's headers and its text, encoded as they say. */
function partText(type: 'plain' | 'html', text: string): string {
  const lines = text.replace(/\r?\n|\r/g, eol);
  const [encoding, encoded] = encode(lines);
  return [
    `Content-Type: text/${type}; charset=utf-8`,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    encoded,
  ].join(eol);
}

function encode(text: string): readonly [encoding: string, text: string] {
  if (isPlainText(text) && !hasLongerLines(text, lineLength)) return ['7bit', text];
  const isMostlyAscii = Buffer.byteLength(text) < 1.5 * text.length;
  return isMostlyAscii
    ? ['quoted-printable', quotedPrintable.wrap(quotedPrintable.encode(text))]
    : ['base64', base64.wrap(base64.encode(text))];
}

/** Nobody who writes a template knows the Message-ID, and no encoded text holds `=_`. */
const boundaryOf = (messageId: string): string => `=_${(messageId.split('@')[0] ?? '').slice(0, 60)}`;

/**
 * Headers and body as they leave. Names and the subject lose their line breaks, addresses have to be addresses: no value
 * makes a header of its own, nor a second recipient. An outcome where the mail cannot be one.
 */
export function composeMail(mail: Mail): ComposedMail | MailOutcome {
  const problem = problemOf(mail);
  if (problem) return problem;
  const boundary = boundaryOf(mail.messageId);
  const lines = [
    'Auto-Submitted: auto-generated',
    header('From', cleaned(mail.from)),
    header('To', cleaned(mail.to)),
    header('Subject', singleLine(mail.subject)),
    header('Message-ID', mail.messageId),
    header('Date', new Date(mail.date)),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative;${eol} boundary="${boundary}"`,
    '',
    `--${boundary}`,
    partText('plain', mail.text),
    `--${boundary}`,
    partText('html', mail.html),
    `--${boundary}--`,
    '',
  ];
  return {
    raw: Buffer.from(lines.join(eol)),
    envelope: { from: mail.from.address, to: mail.to.address },
  };
}
