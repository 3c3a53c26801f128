import { readOperatorLink } from '@rollcall/application';
import { NoQuery, type OperatorLink } from '@rollcall/contracts';
import type { FastifyRequest } from 'fastify';
import type { ApiApp } from '../../http/fastify-types.js';
import { pageOfForm } from '../../http/urls.js';
import { fieldsOf } from '../frame/ask.js';
import { html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { maxFormBytes, type PageApp, type PageParts, sessionOf } from '../frame/page-app.js';
import { PageError } from '../frame/page-error.js';

const howTo = 'Ask for a new one: “rollcall operator link” prints it.';

const unusable = (): PageError =>
  new PageError(401, 'This link lets nobody in', `It has expired, or it is not whole. ${howTo}`);

const used = (): PageError =>
  new PageError(
    401,
    'This link has been used',
    `Each link signs in once. If it was not you, tell the operator. ${howTo}`,
  );

/** A link on another site brings no cookie with it, nor does loading that page again; a click on a page of ours does. */
export const notSignedIn = ({ method, url }: FastifyRequest): PageError =>
  new PageError(
    401,
    'You are not signed in',
    `A session ends after 30 minutes without a click, and after 8 hours. If you have come by a link and are signed in, open the page from here. To sign in you need a link: “rollcall operator link” prints it.`,
    method === 'GET' && url.startsWith('/operations') ? url : pageOfForm(url),
  );

const signInPage = ({ operator }: OperatorLink, path: string, attempt: string): Page => ({
  title: `Sign in as ${operator.name}`,
  body: html`<p>
      ${operator.role === 'Auditor' ? 'An Auditor reads and changes nothing' : 'An Operator sees and acts'},
      for ${operator.companyId === null ? 'all companies' : `company ${operator.companyId}`}. This link signs
      in once.
    </p>
    <form method="post" action="${path}">
      <input type="hidden" name="attempt" value="${attempt}" /><button class="primary">Sign in</button>
    </form>`,
});

const signedOut: Page = {
  title: 'You are signed out',
  body: html`<p>To sign in again you need a new link: <code>rollcall operator link</code> prints it.</p>`,
};

/** The ways in: no session is needed. A GET uses no link up, because mail programs look at links too. */
export function signInRoutes(app: ApiApp, page: PageApp, { parts, key, randomId }: SignInParts): void {
  const { kit, sessions, cookies } = parts;
  const linkOf = ({ params }: FastifyRequest): OperatorLink => {
    const { link } = params as { readonly link: string };
    const found = readOperatorLink(key, link, kit.clock.now());
    if (!found) throw unusable();
    return found;
  };
  const route = { url: '/sign-in/:link', schema: { hide: true, querystring: NoQuery } };
  app.route({
    ...route,
    method: 'GET',
    handler: async (request, reply) =>
      page.send(request, reply, signInPage(linkOf(request), request.url, randomId())),
  });
  app.route({
    ...route,
    method: 'POST',
    bodyLimit: maxFormBytes,
    handler: async (request, reply) => {
      const session = await sessions.signIn(linkOf(request), fieldsOf(request)['attempt'] || undefined);
      if (!session) throw used();
      cookies.setSession(reply, sessions.cookieOf(session));
      return reply.redirect('/operations', 303);
    },
  });
  app.route({
    method: 'GET',
    url: '/signed-out',
    schema: { hide: true },
    handler: async (request, reply) => page.send(request, reply, signedOut),
  });
}

interface SignInParts {
  readonly parts: PageParts;
  readonly key: Uint8Array;
  readonly randomId: () => string;
}

/** Behind the session, for both roles. */
export function signOutRoute(app: ApiApp, page: PageApp, { sessions, cookies }: PageParts): void {
  app.route({
    method: 'POST',
    url: '/sign-out',
    schema: { hide: true },
    handler: async (request, reply) => {
      page.operationOf(request);
      await sessions.signOut(sessionOf(request));
      cookies.endSession(reply);
      return reply.redirect('/operations/signed-out', 303);
    },
  });
}
