import { MongoBulkWriteError, type AnyBulkWriteOperation } from 'mongodb';
import { groupedBy, UnwritableDocument, type DocumentWrite } from '@rollcall/application';
import { checkedRevision, type Collections } from '../generation-rules.js';
import type { Deadline } from './connection.js';
import { notOfMajority, Pauses, type DocumentRecord, type Documents } from './documents.js';
import { encodeKey } from './keys.js';

/** Leaves room for id and indexes in MongoDB's limit. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024 - 16 * 1024;

const DUPLICATE_KEY = 11_000;

type IdRange = readonly [from: string, to: string];

interface PreparedWrites {
  readonly records: readonly DocumentRecord[];
  readonly deleted: readonly IdRange[];
}

export type PreparedStage = ReadonlyMap<string, PreparedWrites>;

/** A slow server needs half a second for one, and each turn has a deadline. */
const rangesInTurn = 16;

/** The stage, with what it deletes cut into stages of their own where there is much. */
export function deletingInTurns(stage: readonly DocumentWrite[]): readonly (readonly DocumentWrite[])[] {
  const ranges = stage.filter(({ op }) => op === 'delete-to');
  if (ranges.length <= rangesInTurn) return [stage];
  const turns = Array.from({ length: Math.ceil(ranges.length / rangesInTurn) }, (_, turn) =>
    ranges.slice(turn * rangesInTurn, (turn + 1) * rangesInTurn),
  );
  return [stage.filter(({ op }) => op !== 'delete-to'), ...turns];
}

/** `UnwritableDocument` for what MongoDB cannot hold. */
export function prepareStage(collections: Collections, writes: readonly DocumentWrite[]): PreparedStage {
  const byCollection = groupedBy(writes, ({ collection }) => collection);
  return new Map(
    [...byCollection].map(([name, own]) => [
      name,
      {
        records: own.flatMap((write) => (write.op === 'delete-to' ? [] : [recordOf(collections, write)])),
        deleted: own.flatMap((write) => {
          if (write.op !== 'delete-to') return [];
          const { key, from } = write;
          return [
            [encodeKey(from === undefined ? key : [...key.slice(0, -1).map(Number), from]), encodeKey(key)],
          ];
        }),
      },
    ]),
  );
}

function recordOf(
  collections: Collections,
  write: Exclude<DocumentWrite, { op: 'delete-to' }>,
): DocumentRecord {
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

/** Resolves when the majority has each document or a newer one. Repeats a skipped write if a failover loses the newer. */
export async function writeRecords(
  documents: Documents,
  records: readonly DocumentRecord[],
  deadline: Deadline,
): Promise<void> {
  let left = records;
  for (const pauses = new Pauses(deadline); ; await pauses.next()) {
    const operations = left.map(left === records ? insertedOrReplaced : replaced);
    const leftOut = (await duplicates(documents, operations, deadline)).flatMap((at) => left[at] ?? []);
    if (leftOut.length === 0) return;
    const unknown = await notOfMajority(documents, leftOut, deadline);
    if (unknown.size === 0) return;
    left = leftOut.filter(({ _id }) => unknown.has(_id));
  }
}

/** Resolves when the majority has deleted them. */
export async function deleteRecords(
  documents: Documents,
  deleted: readonly IdRange[],
  deadline: Deadline,
): Promise<void> {
  const operations = deleted.map(([from, to]): Operation => ({
    deleteMany: { filter: { _id: { $gte: from, $lte: to } } },
  }));
  if (operations.length > 0) await deadline.step(() => documents.bulkWrite(operations, { ordered: false }));
}

type Operation = AnyBulkWriteOperation<DocumentRecord>;

const replaced = ({ _id, ...replacement }: DocumentRecord): Operation => ({
  replaceOne: { filter: { _id, revision: { $lt: replacement.revision } }, replacement, upsert: true },
});

/** A document whose key ends with its revision is almost always new, and an insert is cheaper. */
const insertedOrReplaced = (document: DocumentRecord): Operation =>
  document._id.endsWith(encodeKey([document.revision])) ? { insertOne: { document } } : replaced(document);

/** Returns the indexes of the skipped ones: not older, or just inserted. */
async function duplicates(
  documents: Documents,
  operations: readonly Operation[],
  deadline: Deadline,
): Promise<readonly number[]> {
  try {
    await deadline.step(() => documents.bulkWrite(operations, { ordered: false }));
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    return duplicatesOf(error);
  }
}

function duplicatesOf(error: MongoBulkWriteError): number[] {
  const failures = [error.writeErrors].flat();
  const isHarmless = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
  if (!isHarmless || error.result.getWriteConcernError() !== undefined) throw error;
  return failures.map(({ index }) => index);
}
