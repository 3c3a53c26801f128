import type { DryRunResult, PreviewRow } from '@rollcall/contracts';
import {
  afterEmployeeSet,
  approvedOutcome,
  companies,
  type CompanyState,
  decideEmployeeSet,
  type EmployeeSetDecision,
  type EmployeeSetRejection,
  employeesOutcome,
  integrationSettings,
  isLastBody,
  passedBatchLimit,
  rejectionTexts,
  type ReplaceEmployeeSet,
} from '@rollcall/domain';
import {
  type EmployeeList,
  type EmployeeListCheck,
  type EmployeeListReading,
} from '@rollcall/employee-lists';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { NewEvent } from '../event-store/linked-events.js';
import type { UnprovenReason, HandlerDeps } from './import-deps.js';
import { employeeChanges, type EmployeeDifference, employeeRows, likelyRenames } from './employee-preview.js';
import {
  type DecidedImport,
  type HeldImport,
  type ImportCall,
  type ImportHandler,
  type RefusedImport,
  type Rehearsal,
  withLookUps,
} from './import-handler.js';
import { BoundedCache } from '../bounded-cache.js';
import type { FindRows } from '../ports/imports.js';
import { importLimits } from '../ports/import-limits.js';
import { EmailLookUp, EmailsNeeded } from './kept-renames.js';
import { checkEmployees, type StoredBody } from './stored-body.js';

const mostFieldsBytes = 4 * 1024 * 1024;
/** Callers choose the names: a body with more than this of them is read again. */
const mostBytesOfBody = 2 * 1024;

/** With the hash, about. */
const bytesOf = (fields: IgnoredFields): number =>
  Object.keys(fields).reduce((sum, name) => sum + 16 + 2 * name.length, 200);

export const newIgnoredFields = (): HandlerDeps['ignoredFields'] =>
  new BoundedCache({ most: mostFieldsBytes, sizeOf: bytesOf });

type Carried = Exclude<EmployeeSetDecision, { kind: 'refused' | 'needs-emails' | 'held' }>;

/** Checks the body on first use, and digests it at most once. */
class EmployeeBody {
  readonly #body: StoredBody;
  readonly #deps: HandlerDeps;
  readonly #unproven: UnprovenReason | undefined;
  #known: EmployeeListCheck | undefined;

  constructor({ body, employees, unproven }: ImportCall, deps: HandlerDeps) {
    this.#body = body;
    this.#deps = deps;
    this.#known = employees;
    this.#unproven = unproven;
  }

  /** A body that is large enough for a proof is always digested: the proof spares its run the reading. */
  check(digestBelow: number): EmployeeListCheck {
    const below = this.#body.length > importLimits.provenBody ? Number.POSITIVE_INFINITY : digestBelow;
    return (this.#known ??= checkEmployees(this.#body, this.#deps, below));
  }

  get list(): EmployeeList | undefined {
    return this.#known?.status === 'valid' ? this.#known.list : undefined;
  }

  /** A body that was accepted by its hash alone is read for them, unless they are remembered. */
  get ignored(): IgnoredFields {
    const { ignoredFields } = this.#deps;
    const known = ignoredOf(this.#known) ?? ignoredFields.get(this.#body.sha256);
    const ignored = known ?? ignoredOf(checkEmployees(this.#body, this.#deps, 0)) ?? {};
    if (bytesOf(ignored) <= mostBytesOfBody) ignoredFields.set(this.#body.sha256, ignored);
    return ignored;
  }

  read(): EmployeeListReading {
    const known = this.#known?.status === 'checked' ? undefined : this.#known;
    if (known === undefined && this.#unproven) this.#deps.onUnproven?.(this.#unproven);
    const reading = known ?? checkEmployees(this.#body, this.#deps, Number.POSITIVE_INFINITY);
    if (reading.status === 'checked') throw new Error('a list of any length is read');
    this.#known = reading;
    return reading;
  }
}

const ignoredOf = (check: EmployeeListCheck | undefined): IgnoredFields | undefined =>
  check === undefined || check.status === 'invalid' ? undefined : check.ignored;

export class EmployeeImport implements ImportHandler {
  readonly #call: Omit<ReplaceEmployeeSet, 'reading' | 'knownEmails'>;
  readonly #emails: EmailLookUp | undefined;
  readonly #body: EmployeeBody;

  constructor(call: ImportCall, deps: HandlerDeps) {
    const { companyId, context, body } = call;
    this.#call = {
      companyId,
      operationId: context.operationId,
      bodySha256: body.sha256,
      receivedAt: Date.parse(context.receivedAt),
      decidedAt: call.decidedAt,
      digester: deps.digester,
    };
    this.#body = new EmployeeBody(call, deps);
    this.#emails = call.keepsRenames === true ? new EmailLookUp(deps.digester) : undefined;
  }

  get list(): EmployeeList | undefined {
    return this.#body.list;
  }

  get ignored(): IgnoredFields {
    return this.#body.ignored;
  }

  check(state: CompanyState, atOnceBelow: number) {
    if (isLastBody(this.#call.bodySha256, state))
      return { kind: 'valid', elements: state.employees.count } as const;
    const check = this.#body.check(atOnceBelow);
    switch (check.status) {
      case 'checked':
        return { kind: 'valid', elements: check.count } as const;
      case 'valid':
        return { kind: 'valid', elements: check.list.count } as const;
      case 'invalid':
        return refusal({ reason: 'invalid', problems: check.problems });
      default:
        return check satisfies never;
    }
  }

  #command(state: CompanyState): ReplaceEmployeeSet {
    const { bodySha256 } = this.#call;
    const isSettled = !integrationSettings(state) || isLastBody(bodySha256, state);
    const knownEmails = this.#emails?.known;
    const approved = approvedOutcome(state, this.#call.operationId);
    return { ...this.#call, approved, knownEmails, reading: isSettled ? null : this.#body.read() };
  }

  async lookUp(needed: EmailsNeeded, findRows: FindRows): Promise<void> {
    await this.#emails?.add(needed, this.#call.companyId, findRows);
  }

  #decided(state: CompanyState): Exclude<EmployeeSetDecision, { kind: 'needs-emails' }> {
    const decision = decideEmployeeSet(this.#command(state), state);
    if (decision.kind === 'needs-emails') throw new EmailsNeeded(state.employees, decision.of);
    return decision;
  }

  decide(state: CompanyState): DecidedImport | HeldImport | RefusedImport {
    const decision = this.#decided(state);
    if (decision.kind === 'refused') return refusal(decision.rejection);
    if (decision.kind === 'held') return heldOf(decision);
    return {
      kind: 'events',
      events: [eventOf(decision)],
      outcome: () => employeesOutcome(decision.summary),
      after: (later, place) => afterEmployeeSet(later, decision.summary, setAfter(later, decision), place),
    };
  }

  async rehearse(state: CompanyState, findRows: FindRows): Promise<Rehearsal | RefusedImport> {
    const unlimited = withoutLimits(state);
    const decision = await withLookUps(
      EmailsNeeded,
      () => Promise.resolve().then(() => this.#decided(unlimited)),
      (needed) => this.lookUp(needed, findRows),
    );
    if (decision.kind === 'refused') return refusal(decision.rejection);
    if (decision.kind === 'held') throw new Error('a rehearsal has no limit');
    const { companyId, digester } = this.#call;
    const find: EmployeeDifference['find'] = (numbers) => findRows('employees', companyId, numbers);
    const difference = decision.kind === 'replaced' && {
      ...{ list: decision.list, change: decision.change },
      ...{ set: state.employees, digester, find },
    };
    const { inserted, updated, removed } = decision.summary;
    const result: Rehearsal['result'] = {
      DryRun: true,
      Inserted: inserted,
      Updated: updated,
      Removed: removed,
      WasQueued: false,
      Changes: difference ? await employeeChanges(difference) : { Inserted: [], Updated: [], Removed: [] },
      BatchLimit: batchLimit(state, { inserted, removed }, this.#call.receivedAt),
      IgnoredFields: this.ignored,
      PendingImports: state.pending.length,
      Invitations: invitations(decision),
      LikelyRenames: difference ? await likelyRenames(difference) : { Count: 0, Renames: [] },
    };
    const rows = (most: number): AsyncIterable<PreviewRow> => employeeRows(difference || undefined, most);
    const isChange = Boolean(difference);
    return { kind: 'rehearsed', result, outcome: employeesOutcome(decision.summary), isChange, rows };
  }
}

function refusal(rejection: EmployeeSetRejection): RefusedImport {
  const errors = rejectionTexts(rejection);
  const [first = ''] = errors;
  const reason = rejection.reason === 'invalid' ? 'The list of employees is not valid' : first;
  return { kind: 'refused', rejection: { reason, errors } };
}

function invitations(decision: Carried): DryRunResult['Invitations'] {
  if (decision.kind === 'confirmed') return { Count: 0, FirstDueAt: null, LastDueAt: null };
  const { count, firstDueAt, lastDueAt } = decision.invited();
  return { Count: count, FirstDueAt: firstDueAt, LastDueAt: lastDueAt };
}

const setAfter = (state: CompanyState, decision: Carried) =>
  decision.kind === 'replaced' ? decision.after : state.employees;

const eventOf = (decision: Carried): NewEvent =>
  decision.kind === 'replaced'
    ? { name: 'EmployeeSetReplaced', source: decision.source }
    : { name: 'EmployeeSetConfirmed', data: decision.summary };

/** A rehearsal reports the batch limit instead of enforcing it, and reads the body in any case. */
function withoutLimits(state: CompanyState): CompanyState {
  const { settings } = state;
  if (settings.status === 'unconfigured') return state;
  const unlimited = {
    ...settings,
    settings: { ...settings.settings, batchLimit: null, batchLimitThen: null },
  };
  return { ...state, settings: unlimited, lastBody: null };
}

function heldOf({ summary, present, limit }: Extract<EmployeeSetDecision, { kind: 'held' }>): HeldImport {
  const { inserted, updated, removed } = summary;
  const outcome = employeesOutcome(summary);
  return { kind: 'held', held: { inserted, updated, removed, present, limit, outcome } };
}

function batchLimit(
  { settings, employees }: CompanyState,
  counts: { inserted: number; removed: number },
  now: number,
): DryRunResult['BatchLimit'] {
  const present = employees.count;
  if (settings.status === 'unconfigured')
    return { Limit: null, Present: present, Exceeded: false, OverLimit: 'refuse' };
  const Exceeded = passedBatchLimit({ present, ...counts }, settings.settings, now) !== undefined;
  const { overLimit } = settings.settings;
  return {
    Limit: companies.batchLimitAt(settings.settings, now),
    Present: present,
    Exceeded,
    OverLimit: overLimit,
  };
}
