import { operationsPage } from '@rollcall/api';
import { operatorKey, signOperatorLink, newId } from '@rollcall/application';
import type { Operator } from '@rollcall/contracts';
import fastify from 'fastify';
import type { TestApp } from '../support/test-app.js';

export const ada: Operator = { name: 'Ada', role: 'Operator', companyId: 7 };
export const auditor: Operator = { name: 'Audit office', role: 'Auditor', companyId: null };

type Parts = Parameters<typeof operationsPage>[0];

/** The page's routes, as the app registers them. */
export async function pageRoutes(method: 'GET' | 'POST'): Promise<readonly string[]> {
  const urls: string[] = [];
  const app = fastify();
  app.addHook('onRoute', (route) => {
    if (route.method === method && !/assets|sign-in|signed-out/.test(route.url)) urls.push(route.url);
  });
  const kit = { config: {}, clock: {}, log: {}, readModels: {} } as unknown as Parts;
  await app.register(operationsPage(kit, new Uint8Array(32)), { prefix: '/operations' });
  await app.ready();
  await app.close();
  return urls;
}

interface Shared {
  readonly url: string;
  readonly store: Pick<TestApp['store'], 'digestKey'>;
}

export interface LinkOptions {
  readonly expiresAt?: number;
  readonly linkId?: string;
}

/** The path of a link such as `rollcall operator link` prints. */
export function linkFor(
  { store }: Pick<Shared, 'store'>,
  operator: Operator,
  { expiresAt = Date.now() + 600_000, linkId = newId() }: LinkOptions = {},
): string {
  const token = signOperatorLink(operatorKey(store.digestKey), { linkId, operator, expiresAt });
  return `/operations/sign-in/${token}`;
}

export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser without a screen. */
export class Visitor {
  readonly #url: string;
  /** Of the session. */
  cookie: string | undefined;
  #done = '';

  constructor({ url }: Pick<Shared, 'url'>, cookie?: string) {
    this.#url = url;
    this.cookie = cookie;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.#send(path, { headers });
  }

  post(
    path: string,
    form: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PageAnswer> {
    return this.#send(path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { origin: this.#url, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  /** The token of the first form on a page. */
  async token(path = '/operations'): Promise<string> {
    const { text } = await this.get(path);
    return /name="token"\s+value="(?<token>[^"]+)"/.exec(text)?.groups?.['token'] ?? '';
  }

  async #send(path: string, options: RequestInit): Promise<PageAnswer> {
    const cookie = [this.cookie, this.#done].filter(Boolean).join('; ');
    const headers = { ...(cookie && { cookie }), ...Object.fromEntries(new Headers(options.headers)) };
    const answer = await fetch(this.#url + path, { ...options, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const isEnded = /Max-Age=0/.test(line);
    if (/^(?:__Host-)?rollcall=/.test(pair)) this.cookie = isEnded ? undefined : pair;
    else this.#done = isEnded ? '' : pair;
  }
}

export async function signedIn(app: Shared, operator: Operator = ada): Promise<Visitor> {
  const visitor = new Visitor(app);
  await visitor.post(linkFor(app, operator));
  return visitor;
}

/** The value of a form's hidden field. */
export const hiddenIn = (page: string, name: string): string =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page)?.[1] ?? '';
