import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** What the server does with a message. */
export type MailBehaviour =
  | { readonly kind: 'accept' }
  /** 4xx or 5xx, at the recipient or behind the message. */
  | { readonly kind: 'refuse'; readonly code: number; readonly at: 'RCPT' | 'DATA'; readonly text?: string }
  /** Accepts the message and loses the connection instead of saying so; or loses it without having accepted. */
  | { readonly kind: 'drop'; readonly accepted: boolean }
  /** Accepts it after so long. */
  | { readonly kind: 'slow'; readonly ms: number };

export interface Delivered {
  /** Without angle brackets. */
  readonly messageId: string;
  readonly to: string;
  readonly raw: string;
}

const accept: MailBehaviour = { kind: 'accept' };

const refused = (responseCode: number, text = 'says the test'): Error =>
  Object.assign(new Error(text), { responseCode });

/** A real SMTP server on a free port of 127.0.0.1 that does as it is told. */
export class MailServer {
  /** What the server took responsibility for, repeats included. */
  readonly delivered: Delivered[] = [];
  /** Of each message and each attempt. */
  behave: (to: string) => MailBehaviour = () => accept;
  /** Called when the server wants the bytes of a message, before it asks for them. */
  onRecipient: () => void = () => undefined;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      logger: false,
      ...options,
      onRcptTo: ({ address }, _session, callback) => {
        this.onRecipient();
        const behaviour = this.behave(address);
        if (behaviour.kind === 'refuse' && behaviour.at === 'RCPT')
          return callback(refused(behaviour.code, behaviour.text));
        callback();
      },
      onData: (stream, session, callback) => {
        const [{ address: to } = { address: '' }] = session.envelope.rcptTo;
        // A message that breaks off is none.
        void textOf(stream).then(
          (raw) => this.#take({ to, raw, session: session.id }, callback),
          () => undefined,
        );
      },
    });
    this.#server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server.server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    for (const { _socket } of this.#connections()) _socket.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #connections(): { id: string; _socket: { destroy(): void } }[] {
    return [...(this.#server.connections as unknown as Set<{ id: string; _socket: { destroy(): void } }>)];
  }

  #take(
    { to, raw, session }: { to: string; raw: string; session: string },
    callback: (error?: Error | null, message?: string) => void,
  ): void {
    const behaviour = this.behave(to);
    const isAccepted = behaviour.kind === 'drop' ? behaviour.accepted : behaviour.kind !== 'refuse';
    if (isAccepted) this.delivered.push({ messageId: messageIdOf(raw), to, raw });
    switch (behaviour.kind) {
      case 'accept':
        return callback(null, 'accepted');
      case 'refuse':
        return callback(refused(behaviour.code, behaviour.text));
      case 'slow':
        return void setTimeout(callback, behaviour.ms, null, 'accepted late').unref();
      case 'drop':
        return this.#connections()
          .find(({ id }) => id === session)
          ?._socket.destroy();
      default:
        return behaviour satisfies never;
    }
  }
}

const messageIdOf = (raw: string): string => /^message-id: <([^>]*)>/im.exec(raw)?.[1] ?? '';

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
