import {
  apiCallRow,
  apiCallRows,
  companyIds,
  companyOfOperation,
  fromJson,
  isHeldCall,
  isRejectedCall,
  lastProjected,
  readApiCalls,
  readPendingImports,
} from '@rollcall/application';
import type { ApiCall } from '@rollcall/contracts';
import type { ImportStatus } from '@rollcall/domain';
import { Refusal } from '../refusal.js';
import type { StoresSession } from '../session.js';

export const importStatuses = ['pending', 'held', 'done', 'failed', 'cancelled', 'rejected'] as const;
export type RowStatus = ImportStatus | 'held';

export interface ImportRow extends ApiCall {
  readonly companyId: number;
  readonly status: RowStatus;
}

function statusOf(call: ApiCall): RowStatus {
  const { CompletedOn, HttpStatusCode } = call;
  if (CompletedOn === null) return isHeldCall(call) ? 'held' : 'pending';
  if (HttpStatusCode === 200) return 'done';
  if (HttpStatusCode !== 409) return 'failed';
  return isRejectedCall(call) ? 'rejected' : 'cancelled';
}

function rowOf(companyId: number, json: Uint8Array): ImportRow {
  const call = fromJson(json) as ApiCall;
  return { companyId, status: statusOf(call), ...call };
}

type Rows = Pick<StoresSession, 'log' | 'readModels'>;

/** Undefined where it is not projected yet. */
export async function readRow(
  { readModels }: Pick<StoresSession, 'readModels'>,
  companyId: number,
  operationId: string,
): Promise<ImportRow | undefined> {
  const json = await apiCallRow(readModels, companyId, operationId);
  return json && rowOf(companyId, json);
}

/** A refusal where no import has this id, or it is not projected yet. */
export async function companyOfImport(session: Rows, operationId: string): Promise<number> {
  const companyId = await companyOfOperation(session, operationId);
  if (companyId !== undefined) return companyId;
  const why = (await isBehind(session))
    ? ' in the read models yet, and they are behind the log'
    : ', or its row is past KEEP_CALLS: rollcall projections rebuild brings it back for a day';
  throw new Refusal(`There is no import ${operationId}${why}.`);
}

interface RowQuery {
  readonly company: number | undefined;
  readonly state: RowStatus | undefined;
  readonly top: number;
}

export async function readRows(session: Rows, { company, state, top }: RowQuery): Promise<ImportRow[]> {
  const companies = company === undefined ? await companyIds(session.log) : [company];
  const found: ImportRow[] = [];
  for (const companyId of companies) {
    let left = top;
    for await (const row of newestFirst(session, companyId, state)) {
      if (left === 0) break;
      if (state !== undefined && row.status !== state) continue;
      found.push(row);
      left -= 1;
    }
  }
  return found.sort((one, other) => (one.ApiOperationId < other.ApiOperationId ? 1 : -1)).slice(0, top);
}

async function* newestFirst(
  { readModels }: Rows,
  companyId: number,
  state: RowStatus | undefined,
): AsyncGenerator<ImportRow> {
  if (state === 'pending' || state === 'held') {
    const pending = await readPendingImports(readModels, companyId);
    const keys = pending.map(({ operationId }) => [companyId, operationId] as const).reverse();
    for (const json of await apiCallRows(readModels, keys))
      if (json !== undefined) yield rowOf(companyId, json);
    return;
  }
  for await (const calls of readApiCalls(readModels, { companyId }))
    for (const { row } of calls) yield rowOf(companyId, row);
}

const maxLagWaitMs = 1_000;

async function isBehind({ log, readModels }: Rows): Promise<boolean> {
  const last = await lastProjected(log);
  return last !== undefined && !(await readModels.reachedPosition(last, maxLagWaitMs));
}

/** Warns on stderr where the output may be older than the log; whether it may. */
export async function warnIfBehind(session: StoresSession): Promise<boolean> {
  const { readModels, io } = session;
  const behind = await isBehind(session);
  if (behind)
    io.err('The read models are behind the log: what is shown may be old. Is a projector running?\n');
  for (const { stream, revision } of await readModels.parkedStreams())
    if (stream.startsWith('company-'))
      io.err(
        `The projection of ${stream} stopped at revision ${revision}: what is shown of it may be old.\n`,
      );
  return behind;
}
