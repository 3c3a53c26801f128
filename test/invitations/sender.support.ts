import {
  CompanyStateCache,
  companyFold,
  configureCompany,
  decideAndAppend,
  dueInvitationsOf,
  messageIds,
  systemClock,
  undoImport,
  type EventLog,
  type Mail,
  type MailOutcome,
  type SendOptions,
  CompanyLoads,
  RateLimiter,
  CompanyBatch,
  type DueInvitation,
  type InvitationEnd,
  type SendDeps,
} from '@rollcall/application';
import { openInvitationLinks } from '@rollcall/adapters';
import { DueInvitations } from '@rollcall/worker';

import type { CompanySettings } from '@rollcall/contracts';
import { Digester } from '@rollcall/employee-lists';
import { invitations } from '@rollcall/domain';

import root, { type Test } from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { companyId, startTestApp, testContext, type Answer, type TestApp } from '../support/test-app.js';

/** Monday, in the business hours of company 7, which lives in UTC. */
export const monday = Date.parse('2026-11-23T09:00:00Z');
export const minute = 60_000;
export const hour = 60 * minute;

export const person = (id: string, more: object = {}) => ({
  EmployeeID: id,
  Firstname: 'Astrid',
  Lastname: `Holm ${id}`,
  Email: `${id.toLowerCase()}@example.com`,
  EmploymentStatus: 0,
  ...more,
});

type Send = (mail: Mail, options?: SendOptions) => MailOutcome | Promise<MailOutcome>;

/** The sending part of a worker beside the app, driven by hand and by a clock that stands still. */
export class Sender {
  readonly app: TestApp;
  readonly clock: { at: number; now: () => number };
  /** Mails that a mail server accepted. */
  readonly sent: Mail[] = [];
  readonly deps: SendDeps;
  /** What the mail server does. */
  onMail: Send = (mail) => this.accept(mail);
  /** The highest number that was given before: numbers are told from there on. */
  readonly #before: number;
  readonly #due: DueInvitations;
  readonly #messages: DueInvitation[] = [];

  constructor({ app, clock, before }: Place, deps: Omit<SendDeps, 'mailer'>) {
    this.app = app;
    this.clock = clock;
    this.#before = before;
    const mailer = {
      send: async (mail: Mail, options: SendOptions = {}): Promise<MailOutcome> => this.onMail(mail, options),
      close: () => Promise.resolve(),
    };
    this.deps = { ...deps, mailer };
    this.#due = new DueInvitations({
      readModels: app.adapters.readModels,
      limiter: new RateLimiter({ total: 1_000, perCompany: 1_000 }, clock),
      clock,
      queue: {
        publish: async (_queue, body) => {
          const { companyId: company = 0, numbers = [] } = dueInvitationsOf(body) ?? {};
          this.#messages.push(...numbers.map((number) => ({ companyId: company, number })));
        },
      },
    });
  }

  accept(mail: Mail): MailOutcome {
    this.sent.push(mail);
    return { outcome: 'sent', response: '250 Ok' };
  }

  /** The whole list of company 7. */
  async put(...list: readonly object[]): Promise<Answer> {
    return putList(this.app, list);
  }

  /** What the due-work loop publishes now. */
  async published(): Promise<readonly DueInvitation[]> {
    await this.app.projected();
    await this.#due.look();
    return this.#messages
      .splice(0)
      .map(({ companyId: company, number }) => ({ companyId: company, number: number - this.#before }));
  }

  /** A look, and a job for each message; what came of them. */
  async round(): Promise<readonly InvitationEnd['kind'][]> {
    const ends: InvitationEnd['kind'][] = [];
    for (const due of await this.published()) ends.push((await this.look(due.number)).kind);
    await this.app.projected();
    return ends;
  }

  numberOf(number: number): number {
    return this.#before + number;
  }

  /** One job. */
  look(number: number, changes: Partial<SendDeps> = {}): Promise<InvitationEnd> {
    return this.batch([number], changes).send(this.numberOf(number));
  }

  /** One message of several. */
  batch(all: readonly number[], changes: Partial<SendDeps> = {}): CompanyBatch {
    const numbers = all.map((at) => this.numberOf(at));
    return new CompanyBatch({ ...this.deps, ...changes }, { companyId, numbers });
  }

  /** What stands on the invitation's stream. */
  async events(number: number): Promise<string[]> {
    const names: string[] = [];
    for await (const { type } of this.app.adapters.log.readStream(
      invitations.invitationStream(companyId, this.numberOf(number)),
    ))
      names.push(type.replace(/^.*?(Invitation\w+).*$/, '$1'));
    return names;
  }

  get states(): CompanyStateCache {
    const { digester } = this.deps;
    return new CompanyStateCache({ snapshots: this.app.adapters.snapshots, digester, cacheBytes: 1_000_000 });
  }

  /** Takes an import back. */
  async undo(operationId: string): Promise<void> {
    const temporaryFolder = this.app.store.config.dataDir;
    const deps = { ...this.deps, states: this.states, findRows: () => Promise.resolve([]), temporaryFolder };
    const outcome = await undoImport(deps, testContext(companyId), { companyId, operationId, force: false });
    if (outcome.kind !== 'done') throw new Error(outcome.rejection.reason);
    await this.app.projected();
  }

  async hold(change: 'hold' | 'release' = 'hold'): Promise<void> {
    const { log } = this.app.adapters;
    await decideAndAppend(
      { log, clock: systemClock },
      {
        stream: `company-${companyId}`,
        context: testContext(companyId),
        fold: companyFold(this.deps.digester),
        decide: (state) => invitations[change]({ reason: null }, state) as { kind: 'nothing' },
      },
    );
  }
}

interface Place {
  readonly app: TestApp;
  readonly clock: { at: number; now: () => number };
  readonly before: number;
}

const time = new ManualTime();
const clock = { at: monday, now: () => clock.at };
let shared: Promise<TestApp> | undefined;

/** The api learns again what users there are: its clock may have jumped. */
async function putList(app: TestApp, list: readonly object[]): Promise<Answer> {
  await time.tick(1_000);
  const answer = await app.call('PUT', `/v1.0/Company/${companyId}/Employee`, { body: list });
  if (answer.status !== 200) throw new Error(answer.text);
  await app.projected();
  return answer;
}

export interface SenderOptions {
  readonly settings?: Partial<CompanySettings>;
  readonly log?: (log: EventLog) => EventLog;
}

/** The app is the same for all tests of a file: starting it takes longer than they do. */
export async function startSender(_t: Test, options: SenderOptions = {}): Promise<Sender> {
  clock.at = monday;
  const app = await (shared ??= startTestApp(root, { shape: 'one', clock, every: time.every }));
  const { readModels } = app.adapters;
  const changes = { ...defaults, ...options.settings };
  await configureCompany({ log: app.adapters.log, clock }, testContext(companyId), { companyId, changes });
  await putList(app, []);
  const before = JSON.parse(
    Buffer.from((await readModels.get('employee-sets', [companyId])) ?? '{}').toString(),
  ) as {
    lastNumber?: number;
  };
  const deps = await depsOf(app, options.log?.(app.adapters.log) ?? app.adapters.log);
  return new Sender({ app, clock, before: before.lastNumber ?? 0 }, deps);
}

const defaults = { autoInvite: true };

async function depsOf(app: TestApp, log: EventLog): Promise<Omit<SendDeps, 'mailer'>> {
  const { readModels, snapshots } = app.adapters;
  const { digestKey, config } = app.store;
  const digester = new Digester(digestKey);
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  return {
    log,
    readModels,
    clock,
    digester,
    companies: new CompanyLoads({ log, digester, states }),
    limiter: new RateLimiter({ total: 1_000_000, perCompany: 1_000_000 }, clock),
    linkFor: await openInvitationLinks({
      keyFolder: `${config.dataDir}/keys`,
      url: 'https://surveys.example.com/start',
    }),
    messageIdOf: messageIds(digestKey, 'example.com'),
    sender: { name: 'Rollcall', address: 'surveys@example.com' },
    wait: () => Promise.resolve(),
  };
}
