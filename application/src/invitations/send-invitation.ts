import type { LinkFor, Mail, Mailbox, Mailer, MailOutcome } from '../ports/mailer.js';
import type { ReadModelReader } from '../ports/read-models.js';
import type {
  CompanySettings,
  EmployeeValues,
  InvitationsAreDue,
  InvitationSending,
  InvitationTemplateSet,
  Language,
} from '@rollcall/contracts';
import { invitations, isPresent, templates, valuesInForce, type CompanyState } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import type { CompanyLoads } from '../companies/company-state-cache.js';
import type { RateLimiter } from '../concurrency.js';
import { fromJson } from '../read-models/documents.js';
import { readRows } from '../read-models/employee-rows.js';
import { readPlannedDues } from '../read-models/invitation-plans.js';
import { invitationCollections, type ProgressDocument } from './documents.js';
import {
  InvitationLog,
  type DueInvitation,
  type InvitationDecision,
  type InvitationLogDeps,
} from './invitation-log.js';
import { createHash } from 'node:crypto';
import { v5 } from 'uuid';

/** A mail leaves at least this long before its claim ends, so that the answer is recorded in time. */
const recordMarginMs = 2 * 60_000;

export interface SendDeps extends InvitationLogDeps {
  readonly readModels: Pick<ReadModelReader, 'get' | 'getMany' | 'find'>;
  readonly companies: CompanyLoads;
  readonly digester: Digester;
  readonly mailer: Mailer;
  readonly limiter: RateLimiter;
  readonly linkFor: LinkFor;
  readonly messageIdOf: (round: InvitationRound) => string;
  /** For companies without one. */
  readonly sender: Mailbox;
  /** How long after its due moment a mail was sent. */
  readonly onDelay?: (ms: number) => void;
}

export type InvitationEnd =
  | { readonly kind: 'sent' | 'deferred' | 'failed' | 'cancelled' | 'nothing' | 'withheld' | 'behind' }
  | { readonly kind: 'paced'; readonly delayMs: number };

interface Prepared {
  readonly due: DueInvitation;
  readonly log: InvitationLog;
  readonly state: CompanyState;
  readonly recipient: Recipient;
  readonly template: Awaited<ReturnType<typeof templateFor>>;
  readonly waits: number[];
}

export class CompanyBatch {
  readonly #deps: SendDeps;
  readonly #of: Omit<InvitationsAreDue, 'type'>;
  readonly #mayHaveBegun: boolean;
  readonly #waits: number[] = [];
  readonly #templates = new Map<number | undefined, ReturnType<typeof templateFor>>();
  #roundData: Promise<{ readonly state: CompanyState; readonly employees: ReadEmployees }> | undefined;

  /** `mayHaveBegun`: the read models may lack events of these invitations, as after a redelivery. */
  constructor(deps: SendDeps, of: Omit<InvitationsAreDue, 'type'>, mayHaveBegun = false) {
    this.#deps = deps;
    this.#of = of;
    this.#mayHaveBegun = mayHaveBegun;
  }

  /**
   * Claims, sends and records one invitation if it is due. Safe to repeat and to run concurrently
   * (docs/way-of-the-data.md, "Invitations"). Throws in an outage and for unreadable streams.
   * `answered` runs before the outcome is recorded.
   */
  async send(number: number, answered?: () => void): Promise<InvitationEnd> {
    const due = { companyId: this.#of.companyId, number };
    const { state, employees } = await (this.#roundData ??= this.#read());
    const recipient = recipientOf(this.#deps.digester, state, number, employees);
    if (typeof recipient === 'string') return { kind: recipient };
    const log = new InvitationLog(this.#deps, due);
    // Taken as empty where the read models lag: the claim then fails on its revision, and is decided again.
    if (this.#mayHaveBegun || employees.progress.get(number)) await log.load();
    const template = await this.#template(recipient);
    return sendTo(this.#deps, { due, log, state, recipient, template, waits: this.#waits }, answered);
  }

  async #read() {
    const { companies, readModels } = this.#deps;
    const { companyId, numbers } = this.#of;
    const state = await companies.load(companyId);
    return { state, employees: await readEmployees(readModels, companyId, numbers) };
  }

  #template(recipient: Recipient): ReturnType<typeof templateFor> {
    const language = languageOf(recipient);
    const known =
      this.#templates.get(language?.id) ?? templateFor(this.#deps.readModels, this.#of.companyId, language);
    this.#templates.set(language?.id, known);
    return known;
  }
}

/** Codes of a lost connection, and of a server that closes each (421), or refuses it (5xx defers no single mail). */
const ofNoServer = /^(?:\D|421|5)/;

async function sendTo(deps: SendDeps, prepared: Prepared, answered?: () => void): Promise<InvitationEnd> {
  const claim = await claimed(deps, prepared);
  if ('kind' in claim) return claim;
  if (!(await stillFits(deps, prepared))) return { kind: 'withheld' };
  const outcome = await send(deps, prepared, claim);
  if (outcome.outcome === 'deferred') deps.limiter.reached(!ofNoServer.test(outcome.code));
  else if (outcome.outcome === 'sent' || ('code' in outcome && /^\d/.test(outcome.code)))
    deps.limiter.reached(true);
  answered?.();
  return record(deps, prepared, claim, outcome);
}

async function claimed(deps: SendDeps, prepared: Prepared): Promise<InvitationSending | InvitationEnd> {
  const { due, log, recipient, waits } = prepared;
  const decide = (invitation: invitations.InvitationState): invitations.ClaimDecision =>
    invitations.decideClaim(
      {
        plannedDueAt: recipient.plannedDueAt,
        present: recipient.employee !== undefined,
        held: recipient.held,
        now: deps.clock.now(),
        messageId: (round) => deps.messageIdOf({ ...due, round }),
      },
      invitation,
    );
  const known = log.state;
  const first = decide(known);
  if (first.kind === 'nothing') return { kind: 'nothing' };
  // An undo may have brought the employee back.
  if (first.kind === 'cancel' && !(await stillFits(deps, prepared))) return { kind: 'withheld' };
  const delayMs = first.kind === 'claim' ? deps.limiter.take(due.companyId, waits) : 0;
  if (delayMs > 0) return { kind: 'paced', delayMs };
  const event = await log.append((state) => asDecision(state === known ? first : decide(state)));
  if (event === undefined) return { kind: 'nothing' };
  return event.name === 'InvitationSending' ? event.data('InvitationSending') : { kind: 'cancelled' };
}

const asDecision = (decision: invitations.ClaimDecision): InvitationDecision =>
  decision.kind === 'nothing' ? { kind: 'nothing' } : { kind: 'events', events: decision.events };

async function stillFits(deps: SendDeps, { due, state, recipient }: Prepared): Promise<boolean> {
  const now = await deps.companies.load(due.companyId);
  if (now === state) return true;
  const employees = await readEmployees(deps.readModels, due.companyId, [due.number]);
  const again = recipientOf(deps.digester, now, due.number, employees);
  if (typeof again === 'string' || again.held || again.employee === undefined) return false;
  return JSON.stringify(again.employee) === JSON.stringify(recipient.employee);
}

function send(deps: SendDeps, prepared: Prepared, claim: InvitationSending): Promise<MailOutcome> {
  const { clock, mailer } = deps;
  const last = Date.parse(claim.until) - recordMarginMs;
  return mailer.send(mailOf(deps, prepared, claim), { mayLeave: () => clock.now() < last });
}

function mailOf(
  deps: SendDeps,
  { due, recipient, template }: Prepared,
  { messageId }: InvitationSending,
): Mail {
  const { Firstname = '', Lastname = '', Email = '' } = recipient.employee ?? {};
  const now = deps.clock.now();
  const filled = templates.fillTemplate(template, {
    FirstName: Firstname,
    LastName: Lastname,
    Fullname: `${Firstname} ${Lastname}`,
    CompanyName: recipient.settings.name,
    Link: deps.linkFor({ ...due, messageId, now }),
  });
  const to = { name: `${Firstname} ${Lastname}`, address: Email };
  return { ...filled, from: template.sender ?? deps.sender, to, messageId, date: now };
}

async function record(
  { clock, onDelay }: SendDeps,
  { log }: Prepared,
  claim: InvitationSending,
  outcome: MailOutcome,
): Promise<InvitationEnd> {
  const now = clock.now();
  switch (outcome.outcome) {
    case 'sent': {
      const { response } = outcome;
      await log.record((state) => invitations.recordSent({ claim, response, sentAt: now }, state));
      onDelay?.(now - Date.parse(claim.dueAt));
      break;
    }
    case 'deferred':
      await log.record((state) => invitations.recordDeferred({ claim, now, ...outcome }, state));
      break;
    case 'failed':
      await log.record((state) => invitations.recordFailed({ claim, ...outcome }, state));
      break;
    case 'withheld':
      break;
    default:
      return outcome satisfies never;
  }
  return { kind: outcome.outcome };
}

interface InvitationRound {
  readonly companyId: number;
  readonly number: number;
  readonly round: number;
}

/** Deterministic per installation (by its key) and round; never two rounds' the same. */
export function messageIds(digestKey: Uint8Array, domain: string): (of: InvitationRound) => string {
  const namespace = createHash('sha256').update('Message-ID').update(digestKey).digest().subarray(0, 16);
  return ({ companyId, number, round }) => `${v5(`${companyId}/${number}/${round}`, namespace)}@${domain}`;
}

interface Recipient {
  readonly settings: CompanySettings;
  readonly held: boolean;
  /** `invitationDue` of the employee's `added` entry; null where none is planned. */
  readonly plannedDueAt: string | null;
  /** Undefined where the employee has left. */
  readonly employee: EmployeeValues | undefined;
}

interface ReadEmployees {
  readonly plannedDue: ReadonlyMap<number, string>;
  readonly rows: ReadonlyMap<number, Uint8Array | undefined>;
  readonly progress: ReadonlyMap<number, ProgressDocument | undefined>;
}

async function readEmployees(
  readModels: Pick<ReadModelReader, 'find' | 'get' | 'getMany'>,
  companyId: number,
  numbers: readonly number[],
): Promise<ReadEmployees> {
  const keys = numbers.map((number) => [companyId, number] as const);
  const [plannedDue, rows, progress] = await Promise.all([
    readPlannedDues(readModels, companyId, numbers),
    readRows(readModels, companyId, numbers),
    readModels.getMany(invitationCollections.progress, keys, fromJson),
  ]);
  return {
    plannedDue,
    rows: new Map(numbers.map((number, at) => [number, rows[at]])),
    progress: new Map(numbers.map((number, at) => [number, progress[at] as ProgressDocument | undefined])),
  };
}

/** By the company's state from the log. The read model's row counts only with matching digests; `behind` until then. */
function recipientOf(
  digester: Digester,
  { settings, held, employees }: CompanyState,
  number: number,
  { plannedDue, rows, progress }: ReadEmployees,
): Recipient | 'nothing' | 'behind' {
  const { due, state } = progress.get(number) ?? {};
  // A later request of one that has ended is published once the read models have it.
  if (settings.status === 'unconfigured' || (due === null && state !== 'left')) return 'nothing';
  const known = { settings: settings.settings, held, plannedDueAt: plannedDue.get(number) ?? null };
  if (!isPresent(employees, number)) return { ...known, employee: undefined };
  const row = rows.get(number);
  const employee = valuesInForce(employees, digester, number, fromJson(row));
  return employee ? { ...known, employee } : 'behind';
}

/** Undefined for the installation's. */
const languageOf = ({ settings, employee }: Recipient): Language | undefined =>
  templates.languageOf(settings.languages, employee?.Dimensions);

/** With the company's sender if it has one. */
async function templateFor(
  readModels: Pick<ReadModelReader, 'get'>,
  companyId: number,
  language: Language | undefined,
): Promise<Pick<InvitationTemplateSet, 'sender' | 'subject' | 'text' | 'html'>> {
  if (!language) return { sender: null, ...templates.defaultTemplate(undefined) };
  const stored = await readModels.get(invitationCollections.templates, [companyId, language.id]);
  return templates.templateInForce(language, fromJson(stored) as InvitationTemplateSet | undefined);
}
