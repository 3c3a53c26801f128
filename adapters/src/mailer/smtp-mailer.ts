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
import { outcomeOfError } from './smtp-outcome.js';

/** Together they keep a message that hangs well below the ten minutes of a claim. */
const DEFAULT_TIMEOUTS = { connectMs: 30_000, silenceMs: 60_000, totalMs: 180_000 };

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587` (STARTTLS where the server has it), `smtps://...` (TLS from the start). */
  readonly url: string;
  /** Connections that are kept open; 5 where it is not given. */
  readonly connections?: number;
  readonly timeouts?: Partial<typeof DEFAULT_TIMEOUTS>;
}

/** Why this is no address of a mail server; undefined where it is one. Never repeats the address, which may hold a password. */
export function smtpUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is no URL';
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return 'must begin with smtp:// or smtps://';
  return hostname === '' ? 'must name a host' : undefined;
}

/** Sends over connections that are kept open (nodemailer's pool), with TLS and log-in as the address says. */
export function openSmtpMailer(options: SmtpMailerOptions): Mailer {
  const problem = smtpUrlProblem(options.url);
  if (problem !== undefined) throw new MailerUnusable(`SMTP_URL ${problem}`);
  return new SmtpMailer(options);
}

class SmtpMailer implements Mailer {
  readonly #pool: ReturnType<typeof createPool>;
  /** The messages that are being sent, by the signal that gives up on them. */
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

/** The bytes of a message, which are read when the server has said that it wants them: the last moment to hold them back. */
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
