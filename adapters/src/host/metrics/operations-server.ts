import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ConfigInvalid } from '../environment.js';
import { liveAnswer, readyAnswer, type HealthProblem } from '../health.js';
import { listenProblem } from '../listen-problem.js';
import type { Closable } from '../parts.js';
import type { Metrics } from './metrics.js';

/** Where a process serves `/metrics` and `/health/*` beside its work. */
export interface OperationsAddress {
  readonly host: string;
  readonly port: number;
}

export interface OperationsParts {
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
  /** What is wrong with the process; never throws. */
  readonly problems: () => Promise<readonly HealthProblem[]>;
}

export interface OperationsServer extends Closable {
  /** For example `http://127.0.0.1:9464`. */
  readonly address: string;
}

/** The same answers as the api gives on its own port (docs/http.md, "/health/ready"). `ConfigInvalid` where it cannot listen. */
export async function openOperationsServer(
  where: OperationsAddress,
  parts: OperationsParts,
): Promise<OperationsServer> {
  // Only who serves operations pays for it.
  const { default: fastify } = await import('fastify');
  const app = fastify({ forceCloseConnections: true });
  answerOperations(app, parts);
  try {
    await app.listen({ ...where });
  } catch (error) {
    const problem = error instanceof Error ? listenProblem(error, where, 'METRICS_') : undefined;
    throw problem === undefined ? error : new ConfigInvalid(problem);
  }
  const { address, family, port } = app.server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () => app.close(),
  };
}

function answerOperations(app: FastifyInstance, { metrics, problems }: OperationsParts): void {
  // No call has a body that is of interest.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ Message: 'There is nothing at this address' }),
  );
  app.setErrorHandler((_error, _request, reply) =>
    reply.code(500).send({ Message: 'The server met an error' }),
  );
  const others = app.supportedMethods.filter((method) => !['GET', 'HEAD'].includes(method));
  const page = (url: string, handler: (reply: FastifyReply) => Promise<FastifyReply>): void => {
    app.get(url, (_request, reply) => handler(reply));
    app.route({ url, method: others, handler: (_request, reply) => sendOnlyGet(reply) });
  };
  page('/metrics', async (reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.scrape()),
  );
  page('/health/live', async (reply) => reply.send(liveAnswer));
  page('/health/ready', async (reply) => sendReady(reply, await problems()));
}

const sendOnlyGet = (reply: FastifyReply): FastifyReply =>
  reply.code(405).header('allow', 'GET, HEAD').send({ Message: 'This address takes GET' });

function sendReady(reply: FastifyReply, problems: readonly HealthProblem[]): FastifyReply {
  const { status, headers, body } = readyAnswer(problems);
  return reply.code(status).headers(headers).send(body);
}
