import type { CompanySettings } from '@rollcall/contracts';
import { diffRows, stateRows, type DiffRow } from '../audit/state-rows.js';
import type { SurveyReader } from '../audit/survey-rows.js';
import type { AuditRow } from '../audit/audit-row.js';
import type { CompanyAt } from '../audit/company-at.js';
import { type HoldDocument, invitationCollections } from '../invitations/documents.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import { employeeSetsCollection, setOfDocument } from '../read-models/employee-set.js';
import type { Patience } from './entries-back.js';

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

interface Rows<T> {
  readonly rows: readonly T[];
  readonly isPartial: boolean;
}

/** The log; reading on after `until` (`now`) throws `TooLong`. */
export const logInTime = (log: SurveyReader, { until, now }: Patience): SurveyReader => ({
  readLast: (stream) => log.readLast(stream),
  lastPosition: (options) => log.lastPosition(options),
  listStreams: (prefix) => log.listStreams(prefix),
  readStream: async function* (...given) {
    for await (const event of log.readStream(...given)) {
      if (now() > until) throw new TooLong();
      yield event;
    }
  },
});

/** With values. Surveys are left out. */
export const rowsAt = (log: SurveyReader, state: CompanyAt, maxRows: number): Promise<Rows<AuditRow>> =>
  taken(stateRows(log, state, { reveal: true, parts: withoutSurveys }), maxRows);

export const rowsBetween = (
  log: SurveyReader,
  states: readonly [CompanyAt, CompanyAt],
  maxRows: number,
): Promise<Rows<DiffRow>> =>
  taken(diffRows(log, states, { reveal: true, parts: withoutSurveys, together: maxRows + 1 }), maxRows);

const withoutSurveys = ['settings', 'templates', 'employees', 'users', 'departments', 'roles'] as const;

async function taken<T>(batches: AsyncIterable<readonly T[]>, maxRows: number): Promise<Rows<T>> {
  const rows: T[] = [];
  for await (const batch of batches) {
    rows.push(...batch);
    if (rows.length > maxRows) return { rows: rows.slice(0, maxRows), isPartial: true };
  }
  return { rows, isPartial: false };
}
