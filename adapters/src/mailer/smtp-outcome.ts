import { invitations } from '@rollcall/domain';
import type { MailOutcome } from '@rollcall/application';

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

/** A refusal of one of these concerns the message, any other the connection. */
const messageCommands: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);

const connectionTexts: Readonly<Record<string, string>> = {
  EABORT: 'the mail server did not answer in time',
  EAUTH: 'the mail server did not accept the user name and password',
  ENOAUTH: 'the mail server did not accept the user name and password',
  ECONNECTION: 'the connection to the mail server was lost',
  EDNS: "the mail server's name is not known",
  EPROTOCOL: 'the mail server answered as no mail server does',
  ESOCKET: 'the mail server cannot be reached, or the connection was lost',
  ETIMEDOUT: 'the mail server did not answer in time',
  ETLS: 'the mail server and this process do not agree about TLS',
};

/** A 5xx about the message, or the client's own objection, is permanent. Everything else may be retried. */
export function outcomeOfError(error: unknown): MailOutcome {
  if (!isSmtpError(error)) throw error;
  const { code, responseCode, response = '', command = '' } = error;
  const problem =
    responseCode === undefined
      ? (connectionTexts[code] ?? `not sent (${code})`)
      : invitations.serverText(response);
  const answer = { code: responseCode === undefined ? code : String(responseCode), problem };
  return isForGood(code, responseCode, command)
    ? { outcome: 'failed', ...answer }
    : { outcome: 'deferred', ...answer };
}

function isForGood(code: string, responseCode: number | undefined, command: string): boolean {
  if (responseCode !== undefined) return responseCode >= 500 && messageCommands.has(command);
  return code === 'EENVELOPE' || code === 'EMESSAGE';
}

const isSmtpError = (error: unknown): error is SmtpError & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
