import type { ApiCall } from '@rollcall/contracts';
import type { ReadModelReader } from '../ports/read-models.js';
import { apiCallsCollection, attemptsCollection, withAttempts } from './documents.js';

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
    const rows = batch.map(({ key, value }) => ({
      operationId: String(key[1]),
      row: Uint8Array.from(value),
    }));
    yield await joined(readModels, companyId, rows);
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
  keys: readonly (readonly [companyId: number, operationId: string])[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const rows = await readModels.getMany(apiCallsCollection, keys, (row) => row && Uint8Array.from(row));
  return readModels.getMany(attemptsCollection, keys, (attempts, at) => {
    const row = rows[at];
    return row && shown(row, attempts);
  });
}

/** Only of those that are under way the attempts are asked for. */
async function joined(
  readModels: Pick<Reader, 'getMany'>,
  companyId: number,
  calls: readonly ApiCallText[],
): Promise<readonly ApiCallText[]> {
  const open = calls.filter(({ row }) => isUnderWay(row));
  if (open.length === 0) return calls;
  const keys = open.map(({ operationId }) => [companyId, operationId] as const);
  const texts = await readModels.getMany(attemptsCollection, keys, (attempts, at) => {
    const row = open[at]?.row;
    return row && shown(row, attempts);
  });
  const known = new Map(open.map(({ operationId }, at) => [operationId, texts[at]]));
  return calls.map(({ operationId, row }) => ({ operationId, row: known.get(operationId) ?? row }));
}

const mark = Buffer.from('"CompletedOn":null');

/** A text of a person could look like that too: then attempts are asked for that change nothing. */
const isUnderWay = (row: Uint8Array): boolean =>
  Buffer.from(row.buffer, row.byteOffset, row.length).includes(mark);

function shown(row: Uint8Array, attempts: Uint8Array | undefined): Uint8Array {
  if (attempts === undefined) return row;
  const call = JSON.parse(Buffer.from(row).toString()) as ApiCall;
  return Buffer.from(JSON.stringify(withAttempts(call, attempts)));
}
