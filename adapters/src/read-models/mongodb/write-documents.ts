import { MongoBulkWriteError, type AnyBulkWriteOperation } from 'mongodb';
import { groupedBy, UnwritableDocument, type DocumentWrite } from '@rollcall/application';
import { checkedRevision, type Collections } from '../collections.js';
import type { Deadline } from './connection.js';
import { notOfMajority, Pauses, type DocumentRecord, type Documents } from './documents.js';
import { encodeKey } from './keys.js';

/** A document's bytes must fit with its id and indexes into what MongoDB takes. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024 - 16 * 1024;

const DUPLICATE_KEY = 11_000;

/** The records of a stage by the names of their collections. */
export type PreparedStage = ReadonlyMap<string, readonly DocumentRecord[]>;

/** `UnwritableDocument` for what MongoDB could not hold. */
export function prepareStage(collections: Collections, writes: readonly DocumentWrite[]): PreparedStage {
  const byCollection = groupedBy(writes, ({ collection }) => collection);
  return new Map(
    [...byCollection].map(([name, own]) => [name, own.map((write) => recordOf(collections, write))]),
  );
}

function recordOf(collections: Collections, write: DocumentWrite): DocumentRecord {
  const _id = encodeKey(write.key);
  const revision = checkedRevision(write.revision);
  if (write.op === 'remove') return { _id, revision };
  const indexed = collections
    .indexedBy(write)
    .map(([index, numbers]): [string, string] => [index, encodeKey(numbers) + _id]);
  const value = checked(write.value);
  return {
    _id,
    revision,
    live: true,
    value,
    ...(indexed.length > 0 && { indexed: Object.fromEntries(indexed) }),
  };
}

function checked(value: Uint8Array): Uint8Array {
  if (value.length > MAX_VALUE_BYTES)
    throw new UnwritableDocument(`a document of ${value.length} bytes is longer than ${MAX_VALUE_BYTES}`);
  return value;
}

/**
 * Resolves when the majority has each document as it is here, or as something newer wrote it.
 * What is left out is as new already, as far as this server knows: where a change of primary takes that back, it is written
 * after all.
 */
export async function writeRecords(
  documents: Documents,
  records: readonly DocumentRecord[],
  deadline: Deadline,
): Promise<void> {
  let left = records;
  for (const pauses = new Pauses(deadline); ; await pauses.next()) {
    const leftOut = await replaceOlder(documents, left, deadline);
    if (leftOut.length === 0) return;
    const unknown = await notOfMajority(documents, leftOut, deadline);
    if (unknown.size === 0) return;
    left = leftOut.filter(({ _id }) => unknown.has(_id));
  }
}

/** The records that were left out since there is one that is not older, or was inserted at this very moment. */
async function replaceOlder(
  documents: Documents,
  records: readonly DocumentRecord[],
  deadline: Deadline,
): Promise<readonly DocumentRecord[]> {
  const operations = records.map(({ _id, ...replacement }): AnyBulkWriteOperation<DocumentRecord> => {
    const filter = { _id, revision: { $lt: replacement.revision } };
    return { replaceOne: { filter, replacement, upsert: true } };
  });
  try {
    await deadline.step(() => documents.bulkWrite(operations, { ordered: false }));
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    return duplicatesOf(error).flatMap((index) => records[index] ?? []);
  }
}

/** The operations that failed since there is such a document; any other failure is thrown on. */
function duplicatesOf(error: MongoBulkWriteError): number[] {
  const failures = [error.writeErrors].flat();
  const isHarmless = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
  if (!isHarmless || error.result.getWriteConcernError() !== undefined) throw error;
  return failures.map(({ index }) => index);
}
