import { knownImport, loadEvent, readPendingImports, plain } from '@rollcall/application';
import { attemptText } from '@rollcall/projector';

import type { CliIo } from '../cli-io.js';
import {
  companyOfImport,
  readRow,
  readRows,
  type RowStatus,
  warnIfBehind,
  type ImportRow,
} from '../imports/rows.js';
import { callerText, countsText, outcomeText, statusText } from '../imports/text.js';
import { requireCompany } from '../known-company.js';
import { answer, table } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';

export interface ListOptions {
  readonly company?: number;
  readonly state?: RowStatus;
  readonly top: number;
  readonly json?: boolean;
}

/** Validation errors may name an EmployeeID: only their number is shown. */
const listed = ({ ValidationErrors, ...row }: ImportRow) => ({ ...row, problems: ValidationErrors.length });

export const listImports = (io: CliIo, { company, state, top, json = false }: ListOptions): Promise<void> =>
  withStores(io, async (session) => {
    await requireCompany(session, company);
    await warnIfBehind(session);
    const rows = await readRows(session, { company, state, top });
    const cells = rows.map((row) => [
      row.ApiOperationId,
      String(row.companyId),
      row.CreatedOn,
      statusText(row),
      row.Method,
      outcomeText(row),
    ]);
    const head = ['operation', 'company', 'created', 'status', 'call', 'outcome'];
    await answer(io, json, { imports: rows.map(listed) }, table(head, cells));
  });

interface HistoryEntry {
  readonly at: string;
  readonly text: string;
}

async function historyOf({ log }: StoresSession, operationId: string): Promise<HistoryEntry[]> {
  const history: HistoryEntry[] = [];
  for await (const recorded of log.readStream(`operation-${operationId}`)) {
    const event = loadEvent(log, recorded);
    const text = await attemptText(event);
    if (text !== undefined) history.push({ at: event.metadata.recordedAt, text });
  }
  return history;
}

type QueueEntry = NonNullable<Awaited<ReturnType<typeof queueEntryOf>>>;

async function queueEntryOf(session: StoresSession, { companyId, ApiOperationId }: ImportRow) {
  const known = await knownImport(session.log, companyId, ApiOperationId);
  if (known === undefined) return null;
  const { elements, ifMatch, retryOf, payload } = known.queued;
  const bodyKept = (await session.log.readLast(payload.stream)) !== undefined;
  const before = await importsBefore(session, companyId, ApiOperationId);
  return { elements, ifMatch, retryOf, bytes: payload.bytes, bodyKept, before };
}

/** Imports of the company that run first; null once it has ended. */
export async function importsBefore(
  { readModels }: Pick<StoresSession, 'readModels'>,
  companyId: number,
  operationId: string,
): Promise<number | null> {
  const pending = await readPendingImports(readModels, companyId);
  const at = pending.findIndex((one) => one.operationId === operationId);
  return at < 0 ? null : at;
}

export const showImport = (
  io: CliIo,
  { operation, json = false }: { operation: string; json?: boolean },
): Promise<void> =>
  withStores(io, async (session) => {
    await warnIfBehind(session);
    const companyId = await companyOfImport(session, operation);
    const row = await readRow(session, companyId, operation);
    if (row === undefined)
      throw new Refusal(`Import ${operation} of company ${companyId} is not projected yet.`);
    const queue = await queueEntryOf(session, row);
    const history = await historyOf(session, operation);
    await answer(io, json, { ...row, queue, history }, showLines(row, queue, history));
  });

function showLines(row: ImportRow, queue: QueueEntry | null, history: readonly HistoryEntry[]): string[] {
  const pairs: (readonly [string, string | null])[] = [
    ['status', statusText(row)],
    ['progress', row.Progress],
    ['call', row.Method],
    ['caller', callerText(row)],
    ['created', row.CreatedOn],
    ['completed', row.CompletedOn],
    ...(queue === null ? [] : queueLines(queue)),
    ['counts', row.status === 'pending' ? null : countsText(row)],
    ['result', row.Result === null ? null : plain(row.Result)],
  ];
  return [
    `Import ${row.ApiOperationId} of company ${row.companyId}`,
    ...pairs.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(11)}${value}`])),
    ...row.ValidationErrors.map((problem) => `  ${'error'.padEnd(11)}${plain(problem)}`),
    ...history.map(({ at, text }) => `  ${at} ${plain(text)}`),
  ];
}

const queueLines = ({ before, ifMatch, retryOf, ...body }: QueueEntry): [string, string | null][] => [
  ['queue', before === null ? null : `${before} before it`],
  ['body', `${body.elements} elements, ${body.bytes} bytes, ${body.bodyKept ? 'kept' : 'gone'}`],
  ['if-match', ifMatch === null ? null : String(ifMatch)],
  ['retry of', retryOf],
];
