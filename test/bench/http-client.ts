import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { messageOf } from './load-client.js';

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

const readAtOnce = 1024 * 1024;

/** A whole GET whose answer is only counted, with its head: to parse it takes longer than the service takes to write it. */
export async function download({ url, token }: Pick<Call, 'url' | 'token'>): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  let [status, bytes] = [0, 0];
  const callback = (read: number, buffer: Uint8Array): boolean => {
    if (bytes === 0) status = Number(Buffer.from(buffer.subarray(9, 12)).toString());
    bytes += read;
    return true;
  };
  const onread = { buffer: Buffer.alloc(readAtOnce), callback };
  const message = messageOf(url, { method: 'GET', path: pathname, token, isLast: true });
  const begun = performance.now();
  const socket = connect({ host: hostname, port: Number(port), onread });
  socket.write(message);
  await once(socket, 'end');
  return { status, bytes, text: '', milliseconds: performance.now() - begun };
}

/** Drops the kept connection: before a server is stopped. */
export const hangUp = (): void => agent.destroy();
