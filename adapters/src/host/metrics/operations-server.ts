import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigInvalid } from '../environment.js';
import type { Closable } from '../parts.js';
import type { Metrics } from './metrics.js';

/** Where a process serves `/metrics` and `/health/*` beside its work. */
export interface OperationsAddress {
  readonly host: string;
  readonly port: number;
}

export interface OperationsParts {
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
  /** What keeps the process from its work; never throws. */
  readonly problems: () => Promise<readonly string[]>;
}

export interface OperationsServer extends Closable {
  /** For example `http://127.0.0.1:9464`. */
  readonly address: string;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, value: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

const health = (problems: readonly string[]): Answer =>
  problems.length === 0
    ? json(200, { Status: 'ok', Problems: [] })
    : json(503, { Status: 'not ready', Problems: problems });

const pages: Readonly<Record<string, (parts: OperationsParts) => Promise<Answer>>> = {
  '/metrics': async ({ metrics }) => ({
    status: 200,
    type: metrics.contentType,
    body: await metrics.scrape(),
  }),
  '/health/live': () => Promise.resolve(health([])),
  '/health/ready': async ({ problems }) => health(await problems()),
};

/** The same answers as the api gives on its own port (docs/http.md, "/health/ready"). `ConfigInvalid` where it cannot listen. */
export async function openOperationsServer(
  { host, port }: OperationsAddress,
  parts: OperationsParts,
): Promise<OperationsServer> {
  const server = createServer((request, response) => void serve(parts, request, response));
  await listen(server, { host, port });
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(parts: OperationsParts, request: IncomingMessage, response: ServerResponse) {
  const { status, type, body } = await answerTo(parts, request);
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    ...(status === 503 && { 'retry-after': '5' }),
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(
  parts: OperationsParts,
  { url = '/', method = '' }: IncomingMessage,
): Promise<Answer> {
  const page = pages[url.replace(/[?#].*$/, '')];
  if (!page) return json(404, { Message: 'There is nothing at this address' });
  if (!['GET', 'HEAD'].includes(method)) return json(405, { Message: 'This address takes GET' });
  try {
    return await page(parts);
  } catch {
    return json(500, { Message: 'The server met an error' });
  }
}

const problems: Readonly<Record<string, (address: OperationsAddress) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `METRICS_PORT ${port} on ${host} is taken: stop what listens there, or choose another METRICS_PORT.`,
  EACCES: ({ port }) => `METRICS_PORT ${port} may not be used by this user: choose one from 1024 up.`,
  EADDRNOTAVAIL: ({ host }) => `METRICS_HOST ${host} is no address of this machine.`,
  ENOTFOUND: ({ host }) => `METRICS_HOST ${host} is no address and no name that is known.`,
};

function listen(server: Server, address: OperationsAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem = problems[error.code ?? '']?.(address);
      reject(problem === undefined ? error : new ConfigInvalid(problem));
    });
    server.listen(address, () => resolve());
  });
}
