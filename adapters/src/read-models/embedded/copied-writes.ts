import type { Collections } from '../collections.js';
import type { Environment } from './environment.js';
import { behindAll, keySpace } from './keys.js';
import { entriesIn, revisionIn, valueIn } from './records.js';
import { maxTransactionBytes, spacesOf, type PreparedWrite } from './write-documents.js';

const BATCH = 5_000;

export interface CopyOf {
  readonly collection: string;
  readonly from: number;
  readonly to: number;
}

/** A collection's documents, removed ones too, as writes to another generation. Call `next` when the last batch is written. */
export function* copiedWrites(
  environment: Environment,
  declared: Collections,
  { collection, from, to }: CopyOf,
): Generator<readonly PreparedWrite[]> {
  const space = keySpace(from, collection);
  const { documents, indexes } = spacesOf(declared, to, collection);
  for (let start = space; ;) {
    const { found, last } = readBatch(environment, start, behindAll(space));
    yield found.map(([key, record]) => {
      const own = key.subarray(space.length);
      const place = { key: Buffer.concat([documents, own]), own, indexes };
      return { ...place, revision: revisionIn(record), value: valueIn(record), entries: entriesIn(record) };
    });
    if (last === undefined) return;
    start = last;
  }
}

interface Batch {
  readonly found: readonly (readonly [key: Buffer, record: Buffer])[];
  /** The key to continue after; undefined at the end. */
  readonly last: Buffer | undefined;
}

function readBatch({ root, records }: Environment, start: Buffer, end: Buffer): Batch {
  root.resetReadTxn();
  const found: (readonly [Buffer, Buffer])[] = [];
  let bytes = 0;
  for (const { key, value } of records.getRange({ start, end, exclusiveStart: true })) {
    found.push([key, Buffer.from(value)]);
    bytes += value.length;
    if (found.length >= BATCH || bytes >= maxTransactionBytes) return { found, last: key };
  }
  return { found, last: undefined };
}
