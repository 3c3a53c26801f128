import type { ReadModelReader } from '../ports/read-models.js';
import { callRowIn, type CallRow } from './call-row.js';
import {
  apiCallsCollection,
  attemptsCollection,
  fromJson,
  toJson,
  type ApiCallAttempts,
} from './documents.js';

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
    const keys = batch.map(({ key }): Key => [companyId, String(key[1])]);
    const rows = batch.map(({ value }) => callRowIn(value));
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
  const rows = await readModels.getMany(apiCallsCollection, keys, (row) => row && callRowIn(row));
  return shownRows(readModels, keys, rows);
}

async function shownRows(
  readModels: Pick<Reader, 'getMany'>,
  keys: readonly Key[],
  rows: readonly (CallRow | undefined)[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const open = keys.filter((_, at) => rows[at]?.CompletedOn === null);
  const attempts = open.length === 0 ? [] : await readModels.getMany(attemptsCollection, open, progressOf);
  const known = new Map(open.map(([, operationId], at) => [operationId, attempts[at]]));
  return keys.map(([, ApiOperationId], at) => {
    const row = rows[at];
    return row && toJson({ ApiOperationId, ...row, ...known.get(ApiOperationId) });
  });
}

const progressOf = (stored: Uint8Array | undefined) =>
  stored && { ...(fromJson(stored) as ApiCallAttempts), HttpStatusReason: 'Processing...' };
