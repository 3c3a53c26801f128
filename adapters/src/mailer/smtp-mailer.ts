import { Readable } from 'node:stream';
import { invitations } from '@rollcall/domain';
import { createTransport } from 'nodemailer';
import { composeMail, type ComposedMail } from './compose.js';
import {
  MailerUnusable,
  type Mail,
  type Mailer,
  type MailOutcome,
  type SendOptions,
} from '@rollcall/application';

/** Their sum is well below the ten minutes of a claim. */
const DEFAULT_TIMEOUTS = { connectMs: 30_000, silenceMs: 60_000, totalMs: 180_000 };

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587` (STARTTLS if offered), `smtps://...` (TLS). */
  readonly url: string;
  /** Kept open; 5 by default. */
  readonly connections?: number;
  readonly timeouts?: Partial<typeof DEFAULT_TIMEOUTS>;
}

/** Undefined for a usable address. Never repeats it: it may hold a password. */
export function smtpUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is no URL';
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return 'must begin with smtp:// or smtps://';
  return hostname === '' ? 'must name a host' : undefined;
}

export function openSmtpMailer(options: SmtpMailerOptions): Mailer {
  const problem = smtpUrlProblem(options.url);
  if (problem !== undefined) throw new MailerUnusable(`SMTP_URL ${problem}`);
  return new SmtpMailer(options);
}

class SmtpMailer implements Mailer {
  readonly #pool: ReturnType<typeof createPool>;
  readonly #leaving = new WeakMap<AbortSignal, Leaving>();
  readonly #totalMs: number;

  constructor(options: SmtpMailerOptions) {
    this.#pool = createPool(options);
    this.#pool.use('stream', ({ data, message }, done) => {
      const leaving = data.signal && this.#leaving.get(data.signal);
      if (leaving) message.createReadStream = () => leaving.stream();
      done();
    });
    this.#totalMs = options.timeouts?.totalMs ?? DEFAULT_TIMEOUTS.totalMs;
  }

  async send(mail: Mail, { mayLeave = () => true }: SendOptions = {}): Promise<MailOutcome> {
    const composed = composeMail(mail);
    if ('outcome' in composed) return composed;
    if (!mayLeave()) return { outcome: 'withheld' };
    return this.#sendComposed(mail, composed, mayLeave);
  }

  async #sendComposed(
    { messageId }: Mail,
    { raw, envelope }: ComposedMail,
    mayLeave: () => boolean,
  ): Promise<MailOutcome> {
    const leaving = new Leaving(raw, mayLeave);
    const signal = AbortSignal.timeout(this.#totalMs);
    this.#leaving.set(signal, leaving);
    try {
      const info = await this.#pool.sendMail({ envelope, raw, messageId: `<${messageId}>`, signal });
      return { outcome: 'sent', response: invitations.serverText(info.response) };
    } catch (error) {
      return leaving.withheld ? { outcome: 'withheld' } : outcomeOfError(error);
    }
  }

  close(): Promise<void> {
    this.#pool.close();
    return Promise.resolve();
  }
}

/** Reads the body only once the server accepts it: the last moment to withhold it. */
class Leaving {
  readonly #raw: Buffer;
  readonly #mayLeave: () => boolean;
  withheld = false;

  constructor(raw: Buffer, mayLeave: () => boolean) {
    this.#raw = raw;
    this.#mayLeave = mayLeave;
  }

  stream(): Readable {
    return Readable.from(this.#bytes(), { objectMode: false });
  }

  *#bytes(): Generator<Buffer> {
    this.withheld = !this.#mayLeave();
    if (this.withheld) throw new Error('The message is held back');
    yield this.#raw;
  }
}

function createPool({ url, connections = 5, timeouts }: SmtpMailerOptions) {
  const { connectMs, silenceMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  return createTransport({
    url,
    pool: true,
    maxConnections: connections,
    maxMessages: 1_000,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

interface SmtpError extends Error {
  readonly code: string;
  /** Of Node.js, such as `CERT_HAS_EXPIRED` of an `ESOCKET`. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly rejected?: readonly string[];
}

/** A refusal of one of these concerns the message, any other the connection. */
const messageCommands: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);

/** Of the session, at any command: what the server does not know or expect, and a log-in that it misses. */
const sessionCodes: ReadonlySet<number> = new Set([500, 502, 503, 530, 534, 535, 538]);

const connectionTexts: Readonly<Record<string, string>> = {
  EABORT: 'the mail server did not answer in time',
  EAUTH: 'the mail server did not accept the user name and password',
  ENOAUTH: 'the mail server did not accept the user name and password',
  ECONNECTION: 'the connection to the mail server was lost',
  EDNS: "the mail server's name is not known",
  EPROTOCOL: 'the mail server answered as no mail server does',
  ESOCKET: 'the mail server cannot be reached or trusted, or the connection was lost',
  ETIMEDOUT: 'the mail server did not answer in time',
  ETLS: 'the mail server and this process do not agree about TLS',
};

/** A 5xx about the message, or the client's own objection, is permanent. Everything else may be retried. */
function outcomeOfError(error: unknown): MailOutcome {
  if (!isSmtpError(error)) throw error;
  const { code, originalCode = code, responseCode, response = '' } = error;
  const problem =
    responseCode === undefined
      ? (connectionTexts[code] ?? `not sent (${code})`)
      : invitations.serverText(response);
  const answer = { code: String(responseCode ?? originalCode).slice(0, 40), problem };
  return isForGood(error) ? { outcome: 'failed', ...answer } : { outcome: 'deferred', ...answer };
}

function isForGood({ code, responseCode, response, command = '', rejected }: SmtpError): boolean {
  // With a response, even one without a code, it is not the client that objects.
  if (responseCode === undefined) return !response && /^E(?:ENVELOPE|MESSAGE)$/.test(code);
  // Of a server without SMTPUTF8, 500 can concern the recipient.
  const isSession =
    sessionCodes.has(responseCode) && !(responseCode === 500 && /\P{ASCII}/u.test(String(rejected)));
  return responseCode >= 500 && !isSession && messageCommands.has(command);
}

const isSmtpError = (error: unknown): error is SmtpError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
