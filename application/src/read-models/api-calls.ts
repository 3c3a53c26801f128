import type { ReadModelReader } from '../ports/read-models.js';
import { heldAndBehind } from './pending-imports.js';
import { callRowIn, isHeldCall, type CallRow } from './call-row.js';
import {
  apiCallsCollection,
  attemptsCollection,
  fromJson,
  toJson,
  type ApiCallAttempts,
} from './documents.js';

type Key = readonly [companyId: number, operationId: string];
type Reader = Pick<ReadModelReader, 'findBatches' | 'findByIndex' | 'getMany'>;

interface ApiCallText {
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
    const calls = batch.map(({ value }) => callRowIn(value));
    const rows = await waiting(readModels, keys, calls);
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
  const keys: readonly Key[] = [[companyId, operationId]];
  const rows = await readModels.getMany(apiCallsCollection, keys, (row) => row && callRowIn(row));
  const [call] = await shownRows(readModels, keys, await waiting(readModels, keys, rows));
  return call;
}

export async function apiCallRows(
  readModels: Pick<Reader, 'getMany'>,
  keys: readonly Key[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const rows = await readModels.getMany(apiCallsCollection, keys, (row) => row && callRowIn(row));
  return shownRows(readModels, keys, rows);
}

/** Imports of one company that wait behind a held one say so. */
async function waiting(
  readModels: Pick<Reader, 'findByIndex' | 'getMany'>,
  keys: readonly Key[],
  rows: readonly (CallRow | undefined)[],
): Promise<readonly (CallRow | undefined)[]> {
  const companyId = keys.find((_, at) => rows[at]?.CompletedOn === null)?.[0];
  if (companyId === undefined) return rows;
  const [held, ...others] = await heldAndBehind(readModels, companyId);
  if (held === undefined) return rows;
  const behind = new Set(others);
  const HttpStatusReason = `Waiting behind held import ${held}`;
  return rows.map((row, at) => row && (behind.has(keys[at]?.[1] ?? '') ? { ...row, HttpStatusReason } : row));
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
    const attempt = row && isHeldCall(row) ? undefined : known.get(ApiOperationId);
    return row && toJson({ ApiOperationId, ...row, ...attempt });
  });
}

const progressOf = (stored: Uint8Array | undefined) =>
  stored && { ...(fromJson(stored) as ApiCallAttempts), HttpStatusReason: 'Processing...' };
