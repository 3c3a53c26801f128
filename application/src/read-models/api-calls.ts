import type { ApiCall } from '@rollcall/contracts';
import type { ReadModelReader } from '../ports/read-models.js';
import { apiCallsCollection, attemptsCollection, fromJson, type ApiCallAttempts } from './documents.js';

type Key = readonly [companyId: number, operationId: string];
type Reader = Pick<ReadModelReader, 'findBatches' | 'getMany'>;

export interface ApiCallText {
  readonly operationId: string;
  /** JSON text in UTF-8; the caller owns it. */
  readonly row: Uint8Array;
}

export interface ApiCallsBefore {
  readonly companyId: number;
  /** Exclusive. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

/** Newest first, in non-empty batches. */
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

export async function apiCallRow(
  readModels: Reader,
  companyId: number,
  operationId: string,
): Promise<Uint8Array | undefined> {
  const [call] = await apiCallRows(readModels, [[companyId, operationId]]);
  return call;
}

export async function apiCallRows(
  readModels: Pick<Reader, 'getMany'>,
  keys: readonly Key[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const rows = await readModels.getMany(apiCallsCollection, keys, (row) => row && Uint8Array.from(row));
  return shownRows(readModels, keys, rows);
}

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

/** A caller's text could contain the mark: that costs one needless read. */
const isUnderWay = (row: Uint8Array | undefined): boolean =>
  row !== undefined && Buffer.from(row.buffer, row.byteOffset, row.length).includes(mark);

const progressOf = (attempts: Uint8Array | undefined): ApiCallAttempts | undefined =>
  fromJson(attempts) as ApiCallAttempts | undefined;

function shown(row: Uint8Array | undefined, attempts: ApiCallAttempts | undefined): Uint8Array | undefined {
  if (row === undefined || attempts === undefined) return row;
  const call = fromJson(row) as ApiCall;
  if (call.CompletedOn !== null) return row;
  const shown = { ...call, HttpStatusReason: 'Processing...', Progress: attempts.Progress };
  return Buffer.from(JSON.stringify(shown));
}
