import { createTransport } from 'nodemailer';
import { MailerUnusable } from '@rollcall/application';
import { smtpUrlProblem } from '../mailer/smtp-mailer.js';
import type { FoundServer } from './found-server.js';

const ASK_MS = 5_000;

/** Checks log-in; sends no mail. Throws the client's error. */
export async function probeSmtp(url: string): Promise<FoundServer> {
  const problem = smtpUrlProblem(url);
  if (problem !== undefined) throw new MailerUnusable(`SMTP_URL ${problem}`);
  const timeouts = {
    connectionTimeout: ASK_MS,
    greetingTimeout: ASK_MS,
    dnsTimeout: ASK_MS,
    socketTimeout: ASK_MS,
  };
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  try {
    await transport.verify();
    return { name: 'the mail server', tooOld: undefined, clockAheadMs: undefined };
  } finally {
    transport.close();
  }
}
