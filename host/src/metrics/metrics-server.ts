import { METHODS } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { SingleFlight } from '@rollcall/application/read';
import { ConfigInvalid, type Closable } from '@rollcall/adapters';
import { liveAnswer, readyAnswer, type HealthProblem } from '../health/health.js';
import { listenProblem } from '../listen-problem.js';
import type { Metrics } from './metrics.js';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

interface MetricsServerParts {
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
  /** Never throws. */
  readonly problems: () => Promise<readonly HealthProblem[]>;
}

/** Its address, such as `http://127.0.0.1:9464`, answers as the api does. `ConfigInvalid` where it cannot listen. */
export async function openMetricsServer(
  where: MetricsAddress,
  parts: MetricsServerParts,
): Promise<Closable & { readonly address: string }> {
  // Loaded only where metrics are served.
  const { default: fastify } = await import('fastify');
  const app = fastify({
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply) => void sendNotFound(reply),
  });
  // Node's own answers to what it cannot parse have no body.
  app.server.removeAllListeners('clientError');
  answerCalls(app, parts);
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

function answerCalls(app: FastifyInstance, { metrics, problems }: MetricsServerParts): void {
  // Bodies are ignored.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', async (_request, reply) => void reply.headers(safetyHeaders));
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  app.setErrorHandler((_error, _request, reply) =>
    reply.code(500).send({ Message: 'The server met an error' }),
  );
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const others = app.supportedMethods.filter((method) => !['GET', 'HEAD'].includes(method));
  const page = (url: string, handler: (reply: FastifyReply) => Promise<FastifyReply>): void => {
    app.get(url, (_request, reply) => handler(reply));
    app.route({ url, method: others, handler: (_request, reply) => sendOnlyGet(reply) });
  };
  page('/metrics', async (reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.scrape()),
  );
  page('/health/live', async (reply) => reply.send(liveAnswer));
  const look = new SingleFlight(problems, { freshMs: 1_000 });
  page('/health/ready', async (reply) => {
    const { status, headers, body } = readyAnswer(await look.once());
    return reply.code(status).headers(headers).send(body);
  });
}

const safetyHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** For a malformed address no hook runs. */
const sendNotFound = (reply: FastifyReply): FastifyReply =>
  reply.code(404).headers(safetyHeaders).send({ Message: 'There is nothing at this address' });

const sendOnlyGet = (reply: FastifyReply): FastifyReply =>
  reply.code(405).header('allow', 'GET, HEAD').send({ Message: 'This address takes GET' });
