import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const endOfHead = '\r\n\r\n';
const endOfChunks = '\r\n0\r\n\r\n';

/** A call whose answer is a 200. It can be sent to a process. */
export interface SmallCall {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
  /** The server closes the connection behind the answer. */
  readonly isLast?: boolean;
}

/** The bytes of a call to this server. */
export function messageOf(url: string, { method, path, token, body, isLast = false }: SmallCall): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...(isLast ? ['Connection: close'] : []),
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(head.join('\r\n') + endOfHead + (body ?? ''));
}

/** Whether these characters are one whole response. Throws unless it is a 200. */
function isWhole(received: string): boolean {
  const head = received.indexOf(endOfHead);
  if (head < 0) return false;
  if (!received.startsWith('HTTP/1.1 200')) throw new Error(`Answered ${received.slice(0, 500)}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  if (length === undefined) return received.endsWith(endOfChunks);
  return received.length >= head + endOfHead.length + Number(length);
}

/** One kept connection, with next to no work of the client's own. */
class Connection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Milliseconds from the first byte sent to the last byte received. */
  async call(message: Buffer): Promise<number> {
    const begun = performance.now();
    const answered = this.#answer();
    this.#socket.write(message);
    await answered;
    return performance.now() - begun;
  }

  end(): void {
    this.#socket.destroy();
  }

  #answer(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      let received = '';
      const settle = (error?: Error): void => {
        socket.removeAllListeners();
        if (error) reject(error);
        else resolve();
      };
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        try {
          if (isWhole(received)) settle();
        } catch (error) {
          settle(error instanceof Error ? error : new Error(String(error)));
        }
      });
      socket.on('error', settle);
      socket.on('close', () => settle(new Error('The server has hung up')));
    });
  }
}

export interface Load {
  readonly url: string;
  /** The next call; none when it is enough. */
  readonly next: () => Buffer | undefined;
  readonly connections: number;
  /** Between two calls over a connection; none by default. */
  readonly pauseMs?: number;
}

async function callOver(connection: Connection, { next, pauseMs }: Load): Promise<number[]> {
  const times: number[] = [];
  for (let message = next(); message !== undefined; message = next()) {
    times.push(await connection.call(message));
    if (pauseMs !== undefined) await wait(pauseMs);
  }
  return times;
}

/** Calls over so many connections, over each one after the other; milliseconds of each call, and of all. */
export async function carryLoad(load: Load): Promise<{ readonly times: number[]; readonly took: number }> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => Connection.open(load.url)),
  );
  try {
    const begun = performance.now();
    const times = await Promise.all(connections.map((connection) => callOver(connection, load)));
    return { times: times.flat(), took: performance.now() - begun };
  } finally {
    for (const connection of connections) connection.end();
  }
}
