import type { FastifyRequest } from 'fastify';
import type { HttpError } from '../../http/errors.js';
import { html } from './html.js';
import type { Page } from './layout.js';

/** A refusal with words for a person. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly page: Page;

  /** `link`: where to go on. */
  constructor(status: number, title: string, text: string, link?: string) {
    super(text);
    const body = html`<p>${text}</p>
      ${link && html`<p><a href="${link}">Open the page</a></p>`}`;
    this.page = { title, status, body };
  }
}

const titles: Readonly<Record<number, string>> = {
  404: 'There is nothing here',
  500: 'Something went wrong here',
  503: 'This cannot be shown at the moment',
};

const aged = 'An import of long ago may have lost its row: “rollcall audit explain” still shows it.';

const textOf = (error: HttpError, { id }: FastifyRequest): string => {
  if (error.kind === 'not-found')
    return error.details.message ?? `The address is wrong, or it is not yours to see. ${aged}`;
  if (error.kind === 'internal') return `Try it again. When you report it, give the number ${id}.`;
  return [error.message, ...(error.details.errors ?? [])].join(' ');
};

export function errorPage(error: HttpError, request: FastifyRequest): Page {
  const { status } = error.row;
  const title = titles[status] ?? 'This cannot be done';
  return { title, status, body: html`<p>${textOf(error, request)}</p>` };
}
