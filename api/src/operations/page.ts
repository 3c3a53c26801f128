import { randomBytes } from 'node:crypto';
import formbody from '@fastify/formbody';
import { operatorKey, OperatorSessions } from '@rollcall/application';
import type { FastifyRequest } from 'fastify';
import { HttpError, toHttpError } from '../http/errors.js';
import type { ApiApp } from '../http/fastify-types.js';
import { logError } from '../http/render-error.js';
import { formPageHeaders } from '../http/request-log.js';
import type { RouteDependencies } from '../route-dependencies.js';
import { assetRoutes } from './assets/assets.js';
import { companyDecisions } from './frame/company-decisions.js';
import { takeForms } from './frame/files.js';
import { PageApp, type PageParts } from './frame/page-app.js';
import { errorPage, PageError } from './frame/page-error.js';
import { cookies } from './session/cookies.js';
import { isForeign, ownOrigin } from './session/origin.js';
import { notSignedIn, signInRoutes, signOutRoute } from './session/sign-in.js';
import { registerViews } from './views/index.js';

function refusalOf(request: FastifyRequest, operationsUrl: string | undefined): PageError | undefined {
  const origin = ownOrigin(request, operationsUrl);
  if (origin === undefined)
    return new PageError(
      404,
      'The page is not here',
      operationsUrl === undefined
        ? 'Without the variable OPERATIONS_URL it is seen on the service’s own machine alone.'
        : `It is at ${operationsUrl}/operations.`,
    );
  if (request.method !== 'GET' && request.method !== 'HEAD' && isForeign(request, origin))
    return new PageError(
      403,
      'This form came from elsewhere',
      'Open the page itself, and send it from there.',
    );
  return undefined;
}

function answerErrors(app: ApiApp, page: PageApp): void {
  app.setErrorHandler((error, request, reply) => {
    const shown = toHttpError(error);
    reply.headers({ ...shown.row.headers, ...shown.details.headers, ...formPageHeaders });
    if (error instanceof PageError) return page.send(request, reply, error.page);
    logError(shown, request);
    return page.send(request, reply, errorPage(shown, request));
  });
  app.setNotFoundHandler(() => Promise.reject(new HttpError('not-found')));
}

/** The operations page (docs/page.md). Everything but the ways in and the assets needs a session. */
export const operationsPage =
  (kit: RouteDependencies, digestKey: Uint8Array) =>
  async (app: ApiApp): Promise<void> => {
    const { clock, log, newId } = kit;
    const { operationsUrl } = kit.config;
    const key = operatorKey(digestKey);
    const randomId = (): string => randomBytes(24).toString('base64url');
    const sessions = new OperatorSessions({ log, clock, key, newId, randomId });
    const parts: PageParts = {
      kit,
      sessions,
      company: companyDecisions(kit, digestKey),
      cookies: cookies(operationsUrl?.startsWith('https:') === true),
    };
    const page = new PageApp(app, parts);
    app.decorateRequest('session', undefined);
    answerErrors(app, page);
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(formPageHeaders);
      done(refusalOf(request, operationsUrl));
    });
    app.removeAllContentTypeParsers();
    await app.register(formbody);
    takeForms(app, kit);
    assetRoutes(app);
    signInRoutes(app, page, { parts, key, randomId });
    await app.register((inside: ApiApp, _options, done) => {
      inside.addHook('onRequest', async (request, reply) => {
        const session = await sessions.find(parts.cookies.session(request) ?? '');
        if (!session) throw notSignedIn(request);
        request.session = session;
        const { isClick = true } = request.routeOptions.config;
        if (isClick && sessions.isRenewalDue(session))
          parts.cookies.setSession(reply, sessions.cookieOf(session));
      });
      const signed = new PageApp(inside, parts);
      signOutRoute(inside, signed, parts);
      registerViews(signed);
      done();
    });
  };
