import type { CompanySettings } from '@rollcall/contracts';
import { diffRows, stateRows, type DiffRow } from '../audit/state-rows.js';
import type { AuditRow } from '../audit/audit-row.js';
import { companyAt, type CompanyAt, type Moment } from '../audit/company-at.js';
import { type HoldDocument, invitationCollections } from '../invitations/documents.js';
import type { EventReader, EventSubscriber, StreamAdmin } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import { employeeSetsCollection, setOfDocument } from '../read-models/employee-set.js';

export interface KnownCompany {
  readonly companyId: number;
  readonly settings: CompanySettings;
  readonly employees: number;
  readonly hold: HoldDocument | undefined;
}

/** By id, as the read models show them; all, or these. */
export async function knownCompanies(
  readModels: Pick<ReadModelReader, 'find' | 'getMany'>,
  companyId?: number,
): Promise<readonly KnownCompany[]> {
  const found: Pick<KnownCompany, 'companyId' | 'settings'>[] = [];
  for await (const { value } of readModels.find('companies', {
    prefix: companyId === undefined ? [] : [companyId],
  }))
    found.push(fromJson(value) as KnownCompany);
  const keys = found.map((one) => [one.companyId] as const);
  const totals = await readModels.getMany(
    employeeSetsCollection,
    keys,
    (set) => setOfDocument(set)?.total ?? 0,
  );
  const holds = await readModels.getMany(
    invitationCollections.holds,
    keys,
    (hold) => fromJson(hold) as HoldDocument | undefined,
  );
  return found.map(({ companyId: id, settings }, at) => ({
    companyId: id,
    settings,
    employees: totals[at] ?? 0,
    hold: holds[at],
  }));
}

/** The question takes more than its time: `rollcall audit state` and `audit diff` answer it. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

export interface Bounds {
  /** Rows that are read. */
  readonly maxRows: number;
  /** It is given up then (`now`), with `TooLong`. */
  readonly until: number;
  readonly now: () => number;
}

export interface Rows<T> {
  readonly rows: readonly T[];
  readonly isPartial: boolean;
}

type Log = EventReader & EventSubscriber & StreamAdmin;

/** The company at moments that rise; undefined where it did not exist. */
export const companyStatesAt = (
  log: EventReader,
  companyId: number,
  moments: readonly Moment[],
  { until, now }: Pick<Bounds, 'until' | 'now'>,
): Promise<readonly (CompanyAt | undefined)[]> =>
  companyAt(log, companyId, moments, {
    onRead: () => {
      if (now() > until) throw new TooLong();
    },
  });

/** With values. Surveys are left out. */
export const rowsAt = (log: Log, state: CompanyAt, bounds: Bounds): Promise<Rows<AuditRow>> =>
  taken(stateRows(log, state, { reveal: true, parts: withoutSurveys }), bounds);

export const rowsBetween = (
  log: Log,
  states: readonly [CompanyAt, CompanyAt],
  bounds: Bounds,
): Promise<Rows<DiffRow>> => taken(diffRows(log, states, { reveal: true, parts: withoutSurveys }), bounds);

const withoutSurveys = ['settings', 'templates', 'employees', 'users', 'departments', 'roles'] as const;

async function taken<T>(
  batches: AsyncIterable<readonly T[]>,
  { maxRows, until, now }: Bounds,
): Promise<Rows<T>> {
  const rows: T[] = [];
  for await (const batch of batches) {
    rows.push(...batch);
    if (rows.length > maxRows) return { rows: rows.slice(0, maxRows), isPartial: true };
    if (now() > until) throw new TooLong();
  }
  return { rows, isPartial: false };
}
