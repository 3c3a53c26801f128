import auth from '@fastify/auth';
import {
  AccessRecorder,
  type Every,
  everyByTimer,
  onlyOwn,
  problemOf,
  ReadModelWait,
  systemUsername,
} from '@rollcall/application';
import fastify, { LogController, type FastifyRequest } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ApiDeps } from './deps.js';
import { BodyBudget } from './http/body-memory.js';
import { RevocationCache } from './http/revocation-cache.js';
import { Call, RunningKeys } from './http/call.js';
import {
  answerClientError,
  answerConnects,
  answerExpectations,
  lingerAfterEarlyAnswers,
  answerOtherMethods,
} from './http/connections.js';
import { HttpError, invalidRequest } from './http/errors.js';
import type { ApiApp } from './http/fastify-types.js';
import { createGuards, tokenVerifier, PublicKeys } from './http/authentication.js';
import { receiveJsonBodies } from './http/receive-body.js';
import { isBrowserAtRoot, checkQuery, splitQuery, isUnknownPath, literalUrl } from './http/urls.js';
import { limitCalls, RefusalLimit } from './http/rate-limits.js';
import { readiness } from './readiness.js';
import { beginInTurns } from './http/turns.js';
import { renderError } from './http/render-error.js';
import { logRequests, measureRequests, requestId, traceRequests, safetyHeaders } from './http/request-log.js';
import type { RouteDependencies, Routes } from './route-dependencies.js';
import { describeApi, openApiRoutes } from './openapi/describe-api.js';
import { referencePage } from './openapi/reference-page.js';
import { apiCallRoutes } from './routes/api-calls.js';
import { employeesGetRoutes } from './routes/employees-get.js';
import { employeesPutRoutes, managersPutRoutes } from './routes/imports-put.js';
import { healthRoutes } from './routes/health.js';
import { invitationsGetRoutes } from './routes/invitations-get.js';
import { languageRoutes, limitRoutes } from './routes/company.js';
import { managersGetRoutes } from './routes/managers-get.js';
import { operationsPage } from './operations/page.js';
import { metricsRoutes } from './routes/metrics.js';
import { problemPages } from './routes/problem-pages.js';
import { surveyRoutes } from './routes/surveys.js';

const routes: readonly Routes[] = [
  apiCallRoutes,
  employeesGetRoutes,
  employeesPutRoutes,
  healthRoutes,
  invitationsGetRoutes,
  languageRoutes,
  limitRoutes,
  managersGetRoutes,
  managersPutRoutes,
  metricsRoutes,
  openApiRoutes,
  problemPages,
  surveyRoutes,
];

function createServer({ config, logger, newId }: ApiDeps): ApiApp {
  const { timeouts } = config;
  return fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: (request) => requestId(request, newId),
    requestIdHeader: false,
    rewriteUrl: ({ url = '/' }) => literalUrl(url),
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: 16_384,
      querystringParser: splitQuery,
    },
    // `receive-body.ts` limits slow bodies by their progress.
    requestTimeout: 0,
    connectionTimeout: timeouts.connection,
    keepAliveTimeout: timeouts.keepAlive,
    http: {
      requireHostHeader: false,
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
    },
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void renderError(error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>();
}

function addHooks(
  app: ApiApp,
  { clock, config, metrics, newId, tracing }: ApiDeps,
  bodies: BodyBudget,
  isStopping: () => boolean,
): void {
  app.decorateRequest('call', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.call = new Call(clock, newId);
    reply.headers({ 'x-request-id': request.id, ...safetyHeaders(request.routeOptions.url) });
    if (isBrowserAtRoot(request)) return void reply.redirect('docs');
    done(refusalOfAll(request, isStopping()));
  });
  beginInTurns(app);
  app.addHook('preParsing', (request, _reply, payload, done) => {
    checkQuery(request);
    done(null, payload);
  });
  // No coercion: the domain checks requests, and responses are our own.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setErrorHandler(renderError);
  app.setNotFoundHandler({}, () => Promise.reject(new HttpError('not-found')));
  receiveJsonBodies(app, config, bodies);
  lingerAfterEarlyAnswers(app, config.timeouts.linger);
  answerExpectations(app.server);
  answerConnects(app.server);
  logRequests(app);
  measureRequests(app, metrics);
  traceRequests(app, tracing);
}

function refusalOfAll(request: FastifyRequest, isStopping: boolean): HttpError | undefined {
  const { headers, raw, routeOptions } = request;
  if (isStopping && !routeOptions.url?.startsWith('/health/'))
    return new HttpError('unavailable', { headers: { connection: 'close' }, reason: 'closing' });
  if (isUnknownPath(request)) return new HttpError('not-found');
  if (raw.httpVersion === '1.1' && headers.host === undefined)
    return invalidRequest(['The Host header is missing']);
  return undefined;
}

/** Slow callers may keep a process from `onClose` until it is ended. */
const stopFlushMs = 5_000;

const accessRecorder = ({ log, clock, logger }: ApiDeps, every: Every): AccessRecorder =>
  new AccessRecorder({
    ...{ log, clock, every },
    username: systemUsername('api'),
    onProblem: (error) =>
      logger.warn({ problem: problemOf(error) }, 'who read personal data is not recorded yet'),
  });

/** Returns whether the app stops. */
function startAndStop(
  app: ApiApp,
  revocations: RevocationCache,
  publicKeys: PublicKeys,
  access: AccessRecorder,
): () => boolean {
  let isStopping = false;
  app.addHook('onReady', async () => {
    await revocations.start();
    publicKeys.start();
    access.start();
  });
  app.addHook('preClose', (done) => {
    isStopping = true;
    access.start(stopFlushMs, true);
    done();
  });
  app.addHook('onClose', async () => {
    publicKeys.stop();
    revocations.stop();
    await access.close();
  });
  return () => isStopping;
}

/** The whole HTTP service on the given parts, not yet listening. `close()` also ends its timers. */
export async function buildApp(deps: ApiDeps): Promise<ApiApp> {
  const app = createServer(deps);
  const { clock, every = everyByTimer, log, logger } = deps;
  const revocations = new RevocationCache({ log, snapshots: deps.snapshots, clock, logger, every });
  const allMethods = answerOtherMethods(app);
  const bodies = new BodyBudget(deps.config.bodyBudget);
  const publicKeys = new PublicKeys({ ...deps, every });
  const access = accessRecorder(deps, every);
  const isStopping = startAndStop(app, revocations, publicKeys, access);
  addHooks(app, deps, bodies, isStopping);
  await app.register(auth);
  await limitCalls(app, clock, deps.config.rateLimitPerMinute);
  await describeApi(app);
  await referencePage(app);
  const verify = tokenVerifier(deps.config, () => publicKeys.current());
  const guards = createGuards(app, verify, { revocations, access });
  const counted = { bodies, refusals: new RefusalLimit(clock), runningKeys: new RunningKeys() };
  const readModels = onlyOwn(deps.readModels, { log, clock });
  const shown = { readModels, readModelWait: new ReadModelWait(readModels) };
  const parts = { ...deps, ...counted, ...shown, access, guards, revocations, publicKeys };
  const kit: RouteDependencies = { ...parts, readiness: readiness(parts, isStopping) };
  app.decorate('readiness', kit.readiness);
  await app.register((scope: ApiApp, _options, done) => {
    for (const register of routes) register(scope, kit);
    done();
  });
  await app.register(operationsPage(kit, deps.digestKey), { prefix: '/operations' });
  allMethods();
  await app.ready();
  return app;
}
