import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** One connection that is kept: what is measured is the server, not the dialling. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export interface Call {
  readonly url: string;
  readonly token: string;
  readonly method: 'GET' | 'PUT';
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** The body's text where it is short. */
  readonly text: string;
  readonly milliseconds: number;
}

const shortText = 4096;

/** One whole call, from the first byte sent to the last byte received. */
export async function call({ url, token, method, body, headers: more }: Call): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...(body ? { 'content-length': String(body.length) } : {}),
    ...more,
  };
  const begun = performance.now();
  const outgoing = request(url, { method, headers, agent });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.end(body);
  const [incoming] = await answered;
  let bytes = 0;
  let text = '';
  incoming.on('data', (chunk: Buffer) => {
    if (bytes < shortText) text += chunk.toString();
    bytes += chunk.length;
  });
  await once(incoming, 'end');
  return { status: incoming.statusCode ?? 0, bytes, text, milliseconds: performance.now() - begun };
}

/** Drops the kept connection: before a server is stopped. */
export const hangUp = (): void => agent.destroy();

const endOfHead = '\r\n\r\n';

/** The length of the first whole response in these bytes; 0 while it is not whole. Throws unless it is a 200. */
function responseLength(received: string): number {
  const head = received.indexOf(endOfHead);
  if (head < 0) return 0;
  if (!received.startsWith('HTTP/1.1 200'))
    throw new Error(`A survey was not created: ${received.slice(0, 300)}`);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
  const whole = head + endOfHead.length + length;
  return received.length >= whole ? whole : 0;
}

/** Sends the same request over one connection, one after the other, as long as `take` says so. */
async function keepPosting(port: number, message: Buffer, take: () => boolean): Promise<void> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  await new Promise<void>((resolve, reject) => {
    let received = '';
    const next = (): void => {
      if (take()) socket.write(message);
      else socket.end(resolve);
    };
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      try {
        const length = responseLength(received);
        if (length === 0) return;
        received = received.slice(length);
        next();
      } catch (error) {
        socket.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    next();
  });
}

export interface Posting {
  /** The server's address. */
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly body: Buffer;
  readonly connections: number;
  readonly requests: number;
}

/** Posts so many times over so many connections; milliseconds for all. The client's own work is next to nothing. */
export async function postMany(posting: Posting): Promise<number> {
  const { host, port } = new URL(posting.url);
  const head = [
    `POST ${posting.path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${posting.token}`,
    'Content-Type: application/json',
    `Content-Length: ${posting.body.length}`,
  ];
  const message = Buffer.concat([Buffer.from(head.join('\r\n') + endOfHead), posting.body]);
  let left = posting.requests;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: posting.connections }, () => keepPosting(Number(port), message, () => left-- > 0)),
  );
  return performance.now() - begun;
}
