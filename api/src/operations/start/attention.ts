import {
  dueInvitations,
  failedByCompany,
  failingWebhooks,
  type FailingWebhook,
  importsAttention,
  InvitationsSnapshot,
  inTurn,
  type KnownCompany,
  maxLooked,
  type OpenInvitations,
  SingleFlight,
  WebhookStates,
} from '@rollcall/application';
import { webhooks } from '@rollcall/domain';
import type { RouteDependencies } from '../../route-dependencies.js';
import type { Ask } from '../frame/ask.js';
import { html, type Html } from '../frame/html.js';
import { time } from '../frame/moments.js';
import { capitalized, counted, numberText } from '../frame/numbers.js';
import { pathOfImport } from '../imports/import-list-view.js';

/** Where the needs of a kind are seen. */
const lists = {
  service: '/operations/processes',
  parked: '/operations/processes',
  held: '/operations/imports?state=held',
  failed: '/operations/imports?state=failed',
  overdue: '/operations/imports?state=waiting',
  mailHold: '/operations/invitations',
  mailFailed: '/operations/companies',
  mailOverdue: '/operations/companies',
  webhook: '/operations/companies',
};

/** Something that waits for a person. */
export interface Need {
  readonly kind: keyof typeof lists;
  readonly what: string;
  /** Since when, and what to do. */
  readonly detail: Html | string;
  readonly path?: string;
  /** Undefined: of the service. */
  readonly companyId?: number | undefined;
}

/** Of each kind the first ones, and how many more there are. */
const firstOfEach = (needs: readonly Need[]): readonly Need[] =>
  [...new Set(needs.map(({ kind }) => kind))].flatMap((kind) => {
    const own = needs.filter((need) => need.kind === kind);
    const what = `And ${numberText(own.length - mostNamed)} more like these`;
    const rest = { kind, what, detail: `Only the first ${mostNamed} are shown here.`, path: lists[kind] };
    return own.length > mostNamed ? [...own.slice(0, mostNamed), rest] : own;
  });

export const needList = (needs: readonly Need[]): Html =>
  html`<ul class="needs">
    ${firstOfEach(needs).map(
      ({ what, detail, path }) =>
        html`<li>
          ${path === undefined ? html`<span class="what">${what}</span>` : html`<a class="what" href="${path}">${what}</a>`}
          <p>${detail}</p>
        </li>`,
    )}
  </ul>`;

const dayMs = 24 * 3_600_000;
const inLastDay = 'In the last 24 hours.';
const overdueMs = 15 * 60_000;
const freshMs = 5_000;
const mostNamed = 20;

/** Looks for what needs a person; what is asked of all companies is shared by callers for some seconds. */
export class Attention {
  readonly #webhooks: SingleFlight<readonly FailingWebhook[]>;
  /** Of companies whose needs were looked for. */
  readonly webhookStates: WebhookStates;
  readonly #dueOf: (only?: number) => ReturnType<typeof dueInvitations>;

  constructor(kit: RouteDependencies) {
    const { clock, log, readModels, timer } = kit;
    let open: OpenInvitations | undefined;
    const states = (this.webhookStates = new WebhookStates(kit));
    this.#webhooks = new SingleFlight(() => failingWebhooks(log, states), { freshMs, timer });
    // Each look changes what is known of the open ones.
    const oneByOne = inTurn();
    const shared = new Map<number | undefined, SingleFlight<Awaited<ReturnType<typeof dueInvitations>>>>();
    this.#dueOf = (only) => {
      const look = async () => {
        open ??= await InvitationsSnapshot.load(kit);
        return dueInvitations(readModels, clock.now() - overdueMs, open, only);
      };
      const own = shared.get(only) ?? new SingleFlight(() => oneByOne(look), { freshMs, timer });
      shared.set(only, own);
      return own.once();
    };
  }

  /** The most urgent first. Without the companies, which the read models know, what is wrong with the service alone. */
  async needs(ask: Ask, companies: readonly KnownCompany[] | undefined): Promise<readonly Need[]> {
    if (companies === undefined) return serviceNeeds(ask);
    return (await Promise.all([serviceNeeds(ask), this.ofCompanies(ask, companies)])).flat();
  }

  /** Without what is wrong with the service. */
  async ofCompanies(ask: Ask, companies: readonly KnownCompany[]): Promise<readonly Need[]> {
    const seen = new Map(companies.map((one) => [one.companyId, one]));
    const found = await Promise.all([
      importNeeds(ask, seen),
      parkedNeeds(ask, seen),
      this.#overdue(ask, seen),
      invitationNeeds(ask, seen),
      this.#webhookNeeds(ask, seen).catch(unreadWebhooks),
    ]);
    return [...found.flat(), ...companies.flatMap((company) => holdNeeds(ask, company))];
  }

  async #overdue(ask: Ask, seen: Seen): Promise<readonly Need[]> {
    const due = await this.#dueOf(seen.size === 1 ? [...seen.keys()][0] : undefined);
    return due.flatMap(({ companyId, at }) => {
      const company = seen.get(companyId);
      if (company === undefined || company.hold !== undefined) return [];
      const what = `Invitations of ${company.settings.name} are overdue`;
      const detail = html`Due since ${timeIn(company, at, ask)}. See whether a worker runs, and reaches the
      mail server.`;
      return [{ kind: 'mailOverdue', companyId, what, detail, path: '/operations/processes' }];
    });
  }

  async #webhookNeeds(ask: Ask, seen: Seen): Promise<readonly Need[]> {
    const kind = 'webhook';
    const [only] = seen.keys();
    const own = () => failingWebhooks(ask.kit.log, this.webhookStates, only);
    return (await (seen.size === 1 ? own() : this.#webhooks.once())).flatMap(({ companyId, webhook }) => {
      const company = seen.get(companyId);
      if (company === undefined) return [];
      const what = webhooks.addressOf(webhook) === undefined ? 'Webhook' : 'E-mails of imports, webhook';
      const name = `${what} ${webhook.webhookId} of ${company.settings.name}`;
      if (webhook.status === 'disabled')
        return [{ kind, companyId, what: `${name} is disabled`, detail: webhookHelp(companyId, 'enable') }];
      const since = timeIn(company, webhook.deferred?.since, ask);
      const detail = html`Since ${since}: ${webhook.deferred?.problem}.
      ${webhookHelp(companyId, 'deliveries')}`;
      return [{ kind, companyId, what: `${name} accepts nothing`, detail }];
    });
  }
}

type Seen = ReadonlyMap<number, KnownCompany>;

/** Where not all of the `count` were looked at: a company may have more of these than it says, or not be named. */
const moreOf = (kind: Need['kind'], count: number, what: string): readonly Need[] => {
  const detail = 'Only the newest are counted here: companies may have more of them, or not be named.';
  const more = { kind, what: `More than ${numberText(maxLooked)} ${what}`, detail, path: lists[kind] };
  return count > maxLooked ? [more] : [];
};

const timeIn = ({ settings }: KnownCompany, at: string | number | undefined, { now }: Ask): Html =>
  time(at, { timeZone: settings.timeZone, now });

/** One damaged stream hides no other company's page. */
const unreadWebhooks = (): readonly Need[] => [
  {
    kind: 'webhook',
    what: 'The states of webhooks cannot be read',
    detail: html`A stream of them is damaged, or the log is away. See <code>rollcall doctor</code>.`,
  },
];

const webhookHelp = (companyId: number, command: string): Html =>
  html`See <code>rollcall webhook ${command} --company ${companyId}</code>.`;

/** Some problems name streams of other companies: an operator of one company sees those of all. */
async function serviceNeeds({ kit, operator }: Ask): Promise<readonly Need[]> {
  const problems = await kit.readiness();
  return problems
    .filter(({ problem, isOutage }) => operator.companyId === null || isOutage || isOfAll(problem))
    .map(({ problem, isOutage }) => ({
      kind: 'service',
      what: capitalized(problem),
      detail: `The service does ${isOutage ? 'none of its work until this is mended' : 'a part of its work'}.`,
      path: lists.service,
    }));
}

/** How far the read models are, and whether they are built anew. */
const isOfAll = (problem: string): boolean => /^(?:the )?read models are /.test(problem);

async function importNeeds(ask: Ask, seen: Seen): Promise<readonly Need[]> {
  const of = { companyId: ask.operator.companyId ?? undefined, since: ask.now - dayMs };
  const { companies, looked } = await importsAttention(ask.kit.readModels, of);
  const needs = companies.flatMap(({ companyId, held, failed, oldest }) => {
    const company = seen.get(companyId);
    if (company === undefined) return [];
    const { name } = company.settings;
    const path = `/operations/imports?company=${companyId}&state=`;
    const needs: Need[] = held.map((one) => {
      const detail = html`It came ${timeIn(company, one.CreatedOn, ask)} and waits for an approval.`;
      const what = `An import of ${name} is held`;
      return { kind: 'held', companyId, what, detail, path: pathOfImport(one) };
    });
    const ofFailed = { what: `${counted(failed, 'import')} of ${name} failed`, detail: inLastDay };
    if (failed > 0) needs.push({ kind: 'failed', companyId, ...ofFailed, path: `${path}failed` });
    if (oldest === undefined || ask.now - oldest < overdueMs) return needs;
    const what = `An import of ${name} is overdue`;
    const detail = html`It came ${timeIn(company, oldest, ask)} and has not ended. See whether a worker runs.`;
    return [...needs, { kind: 'overdue', companyId, what, detail, path: `${path}waiting` } as const];
  });
  return [...moreOf('failed', looked, 'imports wait, or failed in the last 24 hours'), ...needs];
}

/** `company-7`, `survey-...`: streams of no company are the service's. */
async function parkedNeeds({ kit, operator }: Ask, seen: Seen): Promise<readonly Need[]> {
  const parked = await kit.readModels.parkedStreams();
  return parked.flatMap(({ stream, revision }) => {
    const id = /^(?:company|invitation|webhooks)-(\d+)/.exec(stream)?.[1];
    const company = id === undefined ? undefined : seen.get(Number(id));
    if (company === undefined && operator.companyId !== null) return [];
    const name = company?.settings.name ?? 'the installation';
    const what = `What happens in ${name} is not shown any more`;
    const detail = html`<code>${stream}</code> has stopped at revision ${revision}. Whoever runs the service
      looks with <code>rollcall projections status</code>.`;
    return [{ kind: 'parked', companyId: company?.companyId, what, detail }];
  });
}

function holdNeeds(ask: Ask, company: KnownCompany): readonly Need[] {
  const { companyId, hold, settings } = company;
  if (hold === undefined) return [];
  const detail = html`Nothing is sent since ${timeIn(company, hold.since, ask)}, by ${hold.username}.`;
  const path = `/operations/invitations?company=${companyId}`;
  return [{ kind: 'mailHold', companyId, what: `Invitations of ${settings.name} are held`, detail, path }];
}

async function invitationNeeds({ kit, operator, now }: Ask, seen: Seen): Promise<readonly Need[]> {
  const own = operator.companyId;
  const of = { companyId: own ?? undefined, edges: [now - dayMs, now] };
  const { counts, looked } = await failedByCompany(kit.readModels, of);
  const needs = [...moreOf('mailFailed', looked, 'invitations failed in the last 24 hours')];
  for (const [companyId, failed] of counts) {
    const company = seen.get(companyId);
    if (company === undefined) continue;
    const name = own === null ? ` of ${company.settings.name}` : '';
    const what = `${counted(failed, 'invitation')}${name} failed`;
    const path = `/operations/invitations?company=${companyId}&state=failed`;
    if (failed > 0) needs.push({ kind: 'mailFailed', companyId, what, detail: inLastDay, path });
  }
  return needs;
}
