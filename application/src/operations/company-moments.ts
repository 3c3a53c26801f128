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

type Reader = Pick<ReadModelReader, 'findBatches' | 'getMany'>;

/** One company, or all behind `after`, by id, as the read models show them. Each batch has a turn of the event loop. */
export async function* companyBatches(
  readModels: Reader,
  { companyId, after }: Pick<CompanyQuery, 'companyId' | 'after'>,
): AsyncGenerator<readonly KnownCompany[]> {
  const prefix = companyId === undefined ? [] : [companyId];
  const options = { prefix, ...(after !== undefined && { after: [after] }) };
  for await (const batch of readModels.findBatches('companies', options)) {
    const found = batch.map(({ value }) => fromJson(value) as Pick<KnownCompany, 'companyId' | 'settings'>);
    const keys = found.map((one) => [one.companyId] as const);
    const totals = await readModels.getMany(employeeSetsCollection, keys, setOfDocument);
    const holds = await readModels.getMany(invitationCollections.holds, keys, fromJson);
    yield found.map(({ companyId: id, settings }, at) => ({
      companyId: id,
      settings,
      employees: totals[at]?.total ?? 0,
      hold: holds[at] as HoldDocument | undefined,
    }));
  }
}

interface CompanyQuery {
  readonly companyId?: number | undefined;
  readonly after?: number | undefined;
  readonly text?: string;
  readonly limit?: number;
}

/** Of `companyBatches` those that have the text in their name, in any case, or as their id. */
export async function findCompanies(
  readModels: Reader,
  { text = '', limit = Infinity, ...wanted }: CompanyQuery,
): Promise<readonly KnownCompany[]> {
  const sought = text.trim().toLowerCase();
  const found: KnownCompany[] = [];
  for await (const batch of companyBatches(readModels, wanted)) {
    for (const one of batch)
      if (one.settings.name.toLowerCase().includes(sought) || String(one.companyId) === sought)
        found.push(one);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

export const knownCompanies = (readModels: Reader, companyId?: number): Promise<readonly KnownCompany[]> =>
  findCompanies(readModels, { companyId });

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
