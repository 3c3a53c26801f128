import type { Operator } from '@rollcall/contracts';
import { current, html, nothing, type Html } from './html.js';
import { problemSummary, type FormProblem } from './forms.js';

type Section = 'start' | 'imports' | 'companies' | 'invitations' | 'processes';

export interface Page {
  /** What the page is about; its only `h1`. */
  readonly title: string;
  readonly section?: Section;
  readonly body: Html;
  /** Of the form that was sent; the answer is then a 422. */
  readonly problems?: readonly FormProblem[];
  /** By default 200. */
  readonly status?: number;
}

/** In this order; a section is named once its view is there. */
const entries: readonly { readonly section: Section; readonly name: string; readonly path: string }[] = [
  { section: 'start', name: 'Start', path: '/operations' },
  { section: 'imports', name: 'Imports', path: '/operations/imports' },
  { section: 'companies', name: 'Companies', path: '/operations/companies' },
  { section: 'invitations', name: 'Invitations', path: '/operations/invitations' },
  { section: 'processes', name: 'Processes', path: '/operations/processes' },
];

interface Signed {
  readonly operator: Operator;
  /** Of the form that signs out. */
  readonly token: string;
}

interface LayoutOptions {
  readonly page: Page;
  readonly assets: string;
  readonly hasPath: (path: string) => boolean;
  readonly signed?: Signed | undefined;
  readonly done?: string | undefined;
}

const navigation = ({ page, hasPath }: LayoutOptions): Html =>
  html`<nav aria-label="Sections">
    <ul>
      ${entries
        .filter(({ path }) => hasPath(path))
        .map(
          ({ section, name, path }) =>
            html`<li><a href="${path}" ${current(section === page.section)}>${name}</a></li>`,
        )}
    </ul>
  </nav>`;

const who = ({ operator, token }: Signed): Html =>
  html`<div class="who">
    <span
      ><b>${operator.name}</b>, ${operator.role === 'Auditor' ? 'Auditor (reads only)' : operator.role},
      ${operator.companyId === null ? 'all companies' : `company ${operator.companyId}`}</span
    >
    <form method="post" action="/operations/sign-out">
      <input type="hidden" name="token" value="${token}" /><button class="quiet">Sign out</button>
    </form>
  </div>`;

export const layout = (options: LayoutOptions): Html => {
  const { page, assets, signed, done } = options;
  const problems = page.problems ?? [];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${problems.length > 0 ? 'Error: ' : ''}${page.title} - Rollcall</title>
        <link rel="icon" href="${assets}/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets}/page.css" />
        <script type="module" src="${assets}/page.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="brand" href="/operations">Rollcall</a>
          ${signed ? navigation(options) : nothing} ${signed ? who(signed) : nothing}
        </header>
        <main id="main" tabindex="-1">
          ${done === undefined ? nothing : html`<p class="done" role="status"><b>Done.</b> ${done}</p>`}
          ${problems.length > 0 ? problemSummary(problems) : nothing}
          <h1>${page.title}</h1>
          ${page.body}
        </main>
      </body>
    </html>`;
};
