import type { OpenSession, OperatorSessions } from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import type { ApiApp } from '../../http/fastify-types.js';
import { pageOfForm } from '../../http/urls.js';
import { sendTexts } from '../../imports/preview-answers.js';
import type { RouteDependencies } from '../../route-dependencies.js';
import type { Cookies } from '../session/cookies.js';
import { assetsPath } from '../assets/assets.js';
import type { CompanyDecisions } from './company-decisions.js';
import { actionAskOf, askOf, fieldsOf, type ActionAsk, type Ask } from './ask.js';
import { layout, type Page } from './layout.js';
import { PageError } from './page-error.js';
import { progressStream, type Progress } from './progress.js';

/** Instead of a page: what was sought has one of its own. */
export interface Moved {
  readonly location: string;
}

/** Afterwards the browser is at `location`, and the line `done` says what was done and how to take it back. */
export interface Acted extends Moved {
  readonly done: string;
}

export interface CsvFile {
  readonly name: string;
  readonly csv: AsyncIterable<string> | readonly string[];
}

/** Spreadsheets take a file with this mark for UTF-8. */
const byteOrderMark = '\ufeff';

async function* marked(csv: CsvFile['csv']): AsyncGenerator<string> {
  yield byteOrderMark;
  yield* csv;
}

/** Of a form without a file. */
export const maxFormBytes = 64 * 1024;

interface ActionOptions {
  readonly bodyLimit?: number;
  readonly carriesOut?: (ask: ActionAsk) => boolean;
}

export interface PageParts {
  readonly kit: RouteDependencies;
  readonly sessions: OperatorSessions;
  readonly cookies: Cookies;
  readonly company: CompanyDecisions;
}

export const sessionOf = ({ session }: FastifyRequest): OpenSession => {
  if (!session) throw new TypeError('this route has no session');
  return session;
};

export const mayNotAct = (): PageError =>
  new PageError(403, 'You may not do this', 'An Auditor reads and changes nothing.');

const staleForm = (): PageError =>
  new PageError(403, 'This form is not yours', 'Go back, load the page again, and send it from there.');

const sentBefore = ({ url }: FastifyRequest): PageError =>
  new PageError(409, 'This form was sent before', 'It may have been carried out.', pageOfForm(url));

/** Registers what the page shows and does. Every route here needs a session. */
export class PageApp {
  readonly #app: ApiApp;
  readonly #parts: PageParts;

  constructor(app: ApiApp, parts: PageParts) {
    this.#app = app;
    this.#parts = parts;
  }

  get kit(): RouteDependencies {
    return this.#parts.kit;
  }

  /** `path` is below `/operations`; `query` is the list's whole state. */
  view<Q extends TObject>(
    path: string,
    query: Q,
    show: (ask: Ask<Static<Q>>) => Promise<Page | Moved>,
  ): void {
    this.#app.route({
      method: 'GET',
      url: path,
      schema: { hide: true, querystring: query },
      handler: async (request, reply) => {
        const shown = await show(this.#ask(request));
        return 'body' in shown ? this.send(request, reply, shown) : reply.redirect(shown.location, 303);
      },
    });
  }

  download(path: string, make: (ask: Ask) => Promise<CsvFile>): void {
    this.#app.route({
      method: 'GET',
      url: path,
      schema: { hide: true, querystring: NoQuery },
      handler: async (request, reply) => {
        const { name, csv } = await make(this.#ask(request));
        reply.header('content-disposition', `attachment; filename="${name}"`);
        return sendTexts(reply.type('text/csv; charset=utf-8'), marked(csv));
      },
    });
  }

  /** A form that was sent by an Operator of this session, once where it carries something out; a page is shown again with its problems. */
  action(
    path: string,
    act: (ask: ActionAsk) => Promise<Acted | Page>,
    { bodyLimit = maxFormBytes, carriesOut = () => true }: ActionOptions = {},
  ): void {
    const { cookies, sessions } = this.#parts;
    this.#app.route({
      method: 'POST',
      url: path,
      bodyLimit,
      schema: { hide: true },
      onRequest: (request, _reply, done) =>
        done(sessionOf(request).operator.role === 'Operator' ? undefined : mayNotAct()),
      handler: async (request, reply) => {
        const operationId = this.operationOf(request);
        const ask = actionAskOf(this.#ask(request), request, operationId);
        if (carriesOut(ask) && !(await sessions.claimForm(sessionOf(request), operationId)))
          throw sentBefore(request);
        const acted = await act(ask);
        if ('body' in acted) return this.send(request, reply, acted);
        cookies.setDone(reply, acted.done);
        return reply.redirect(acted.location, 303);
      },
    });
  }

  /** What `look` says of something under way, as server-sent events: an element's `data-progress` names the path. */
  progress(path: string, look: (ask: Ask) => Promise<Progress>): void {
    const closing = new AbortController();
    this.#app.addHook('preClose', (done) => {
      closing.abort();
      done();
    });
    this.#app.route({
      method: 'GET',
      url: path,
      schema: { hide: true },
      config: { isClick: false },
      handler: async (request, reply) => {
        const ask = this.#ask<object>(request);
        // A refusal is answered as one.
        await look(ask);
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const signal = AbortSignal.any([closing.signal, gone.signal]);
        return reply
          .headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
          .send(progressStream({ look: () => look(ask), signal }));
      },
    });
  }

  /** A 403 for a form without the token that this session was given. */
  operationOf(request: FastifyRequest): string {
    const { token = '' } = fieldsOf(request);
    const operationId = this.#parts.sessions.operationOf(sessionOf(request), token);
    if (operationId === undefined) throw staleForm();
    return operationId;
  }

  send(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
    const { cookies, sessions } = this.#parts;
    const { session } = request;
    const signed = session && { operator: session.operator, token: sessions.formToken(session) };
    const done = signed && cookies.done(request);
    if (done !== undefined) cookies.endDone(reply);
    const hasPath = (url: string): boolean => this.#app.hasRoute({ method: 'GET', url });
    const text = layout({ page, assets: assetsPath, hasPath, signed, done });
    return reply
      .code(page.status ?? (page.problems?.length ? 422 : 200))
      .type('text/html; charset=utf-8')
      .send(String(text));
  }

  #ask<Q>(request: FastifyRequest): Ask<Q> {
    return askOf(this.#parts, request, sessionOf(request));
  }
}
