import type { ApiCall } from '@rollcall/contracts';
import type { ReadModelReader } from '../ports/read-models.js';
import { apiCallsCollection, attemptsCollection, fromJson, type ApiCallAttempts } from './documents.js';

type Key = readonly [companyId: number, operationId: string];
type Reader = Pick<ReadModelReader, 'findBatches' | 'getMany'>;

/** A row of ApiCalls as it is shown. */
export interface ApiCallText {
  readonly operationId: string;
  /** JSON text in UTF-8, in memory of its own. */
  readonly row: Uint8Array;
}

export interface ApiCallsBefore {
  readonly companyId: number;
  /** Only calls that are older than this one. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

/** A company's calls, newest first, in batches of which none is empty. */
export async function* readApiCalls(
  readModels: Reader,
  { companyId, before, limit }: ApiCallsBefore,
): AsyncGenerator<readonly ApiCallText[]> {
  const found = readModels.findBatches(apiCallsCollection, {
    prefix: [companyId],
    ...(before !== undefined && { after: [companyId, before] }),
    ...(limit !== undefined && { limit }),
    reverse: true,
  });
  for await (const batch of found) {
    const rows = batch.map(({ value }) => Uint8Array.from(value));
    const keys = batch.map(({ key }): Key => [companyId, String(key[1])]);
    yield (await shownRows(readModels, keys, rows)).flatMap((row, at) => {
      const operationId = keys[at]?.[1];
      return row === undefined || operationId === undefined ? [] : [{ operationId, row }];
    });
  }
}

/** The row of one call; undefined where there is none. */
export async function apiCallRow(
  readModels: Reader,
  companyId: number,
  operationId: string,
): Promise<Uint8Array | undefined> {
  const [call] = await apiCallRows(readModels, [[companyId, operationId]]);
  return call;
}

/** The rows of several calls, in the order of their keys. */
export async function apiCallRows(
  readModels: Pick<Reader, 'getMany'>,
  keys: readonly Key[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const rows = await readModels.getMany(apiCallsCollection, keys, (row) => row && Uint8Array.from(row));
  return shownRows(readModels, keys, rows);
}

/** Only of those that are under way the attempts are asked for. */
async function shownRows(
  readModels: Pick<Reader, 'getMany'>,
  keys: readonly Key[],
  rows: readonly (Uint8Array | undefined)[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const open = keys.filter((_, at) => isUnderWay(rows[at]));
  if (open.length === 0) return rows;
  const attempts = await readModels.getMany(attemptsCollection, open, progressOf);
  const known = new Map(open.map(([, operationId], at) => [operationId, attempts[at]]));
  return rows.map((row, at) => shown(row, known.get(keys[at]?.[1] ?? '')));
}

const mark = Buffer.from('"CompletedOn":null');

/** A text of a person could look like that too: then attempts are asked for that change nothing. */
const isUnderWay = (row: Uint8Array | undefined): boolean =>
  row !== undefined && Buffer.from(row.buffer, row.byteOffset, row.length).includes(mark);

const progressOf = (attempts: Uint8Array | undefined): ApiCallAttempts | undefined =>
  fromJson(attempts) as ApiCallAttempts | undefined;

/** A row that is under way tells of its attempts, which are stored beside it. */
function shown(row: Uint8Array | undefined, attempts: ApiCallAttempts | undefined): Uint8Array | undefined {
  if (row === undefined || attempts === undefined) return row;
  const call = fromJson(row) as ApiCall;
  if (call.CompletedOn !== null) return row;
  const told = { ...call, HttpStatusReason: 'Processing...', Progress: attempts.Progress };
  return Buffer.from(JSON.stringify(told));
}
