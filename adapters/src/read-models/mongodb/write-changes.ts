import { MongoBulkWriteError, type AnyBulkWriteOperation, type BulkWriteResult } from 'mongodb';
import { ReadModelsUnavailable, UnwritableDocument } from '@rollcall/application';
import { Changes, STAGES, type Change } from './batch.js';
import type { Deadline } from './connection.js';
import {
  fetch,
  older,
  recordOf,
  storedOf,
  untouched,
  type DocumentRecord,
  type Documents,
  type GenerationCollections,
} from './documents.js';
import { fold, NOTHING, type Stored } from './fold.js';
import { withoutForbidden } from './conditional-writes.js';

/** A document's bytes must fit with its id and versions into what MongoDB takes. */
const MAX_JSON_BYTES = 16 * 1024 * 1024 - 8 * 1024;

/** How often documents that others write at the same time are looked at again. */
const ATTEMPTS = 100;

const DUPLICATE_KEY = 11_000;

interface Prepared {
  readonly change: Change;
  readonly after: Stored;
  /** What the outcome was made from; undefined where it is the same whatever is stored. */
  readonly before?: Stored | undefined;
}

/**
 * Writes the changes of a batch, each document once. Nothing goes back: a document is written only while the stored one is
 * older, or is the very one that the outcome was made from; otherwise it is looked at again.
 */
export async function writeChanges(
  collections: GenerationCollections,
  changes: readonly Change[],
  deadline: Deadline,
): Promise<void> {
  const allowed = await withoutForbidden(collections, changes, deadline);
  await new Writer(collections, deadline).write(allowed, ATTEMPTS);
}

class Writer {
  readonly #collections: GenerationCollections;
  readonly #deadline: Deadline;

  constructor(collections: GenerationCollections, deadline: Deadline) {
    this.#collections = collections;
    this.#deadline = deadline;
  }

  async write(changes: readonly Change[], attempts: number): Promise<void> {
    if (attempts === 0) throw new ReadModelsUnavailable('others keep writing the same documents');
    const prepared = await this.#prepare(changes);
    for (const stage of STAGES) {
      const ofStage = prepared.filter(({ change }) => change.stage === stage);
      const touched = await Promise.all(
        [...byCollection(ofStage)].map(([name, some]) => this.#writeTo(name, some)),
      );
      const again = touched.flat();
      if (again.length > 0) await this.write(again, attempts - 1);
    }
  }

  /** Reads what outcomes depend on. */
  async #prepare(changes: readonly Change[]): Promise<Prepared[]> {
    const stored = await this.#readStored(changes.filter(({ readsStored }) => readsStored));
    const prepared: Prepared[] = [];
    for (const change of withEntries(changes, stored)) {
      const before = change.readsStored ? (stored.get(nameOf(change)) ?? NOTHING) : undefined;
      const { after } = fold(change.steps, before);
      if (after !== undefined) prepared.push({ change, after: checked(after), before });
    }
    return prepared;
  }

  async #readStored(changes: readonly Change[]): Promise<Map<string, Stored>> {
    const stored = new Map<string, Stored>();
    for (const [name, some] of byCollection(changes.map((change) => ({ change })))) {
      const ids = some.map(({ change }) => change.id);
      const found = await fetch(this.#collections.documents(name), ids, this.#deadline, { newest: true });
      for (const { change } of some) {
        const record = found.get(change.id);
        if (record !== undefined) stored.set(nameOf(change), storedOf(record));
      }
    }
    return stored;
  }

  /** The changes whose documents somebody else has written since they were read. */
  async #writeTo(name: string, prepared: readonly Prepared[]): Promise<Change[]> {
    await this.#collections.ensure(name, this.#deadline);
    const documents = this.#collections.documents(name);
    await this.#replaceOlder(
      documents,
      prepared.filter(({ before }) => before === undefined),
    );
    return this.#replaceUntouched(
      documents,
      prepared.filter(({ before }) => before !== undefined),
    );
  }

  async #replaceOlder(documents: Documents, prepared: readonly Prepared[]): Promise<void> {
    const operations = (some: readonly Prepared[], upsert: boolean): Operation[] =>
      some.map(({ change, after }) => ({
        replaceOne: { filter: older(change.id, after.version), replacement: recordOf(after), upsert },
      }));
    const { duplicates } = await this.#bulk(documents, operations(prepared, true));
    // There is a document that is not older, or one that was inserted at this very moment and may be.
    const again = duplicates.map((index) => prepared[index]).filter((one) => one !== undefined);
    await this.#bulk(documents, operations(again, false));
  }

  async #replaceUntouched(documents: Documents, prepared: readonly Prepared[]): Promise<Change[]> {
    const operations = prepared.map(({ change, after, before = NOTHING }): Operation =>
      before === NOTHING
        ? { insertOne: { document: { _id: change.id, ...recordOf(after) } } }
        : { replaceOne: { filter: untouched(change.id, before), replacement: recordOf(after) } },
    );
    const { written } = await this.#bulk(documents, operations);
    if (written === prepared.length) return [];
    const ids = prepared.map(({ change }) => change.id);
    const found = await fetch(documents, ids, this.#deadline, { newest: true });
    return prepared
      .filter(({ change, after }) => !isAsNew(found.get(change.id), after))
      .map(({ change }) => change);
  }

  /** In any order; resolves when the majority has them. */
  async #bulk(
    documents: Documents,
    operations: readonly Operation[],
  ): Promise<{ written: number; duplicates: number[] }> {
    if (operations.length === 0) return { written: 0, duplicates: [] };
    try {
      const result = await this.#deadline.step(() =>
        documents.bulkWrite([...operations], { ordered: false }),
      );
      return { written: writtenBy(result), duplicates: [] };
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      return { written: writtenBy(error.result), duplicates: duplicatesOf(error) };
    }
  }
}

type Operation = AnyBulkWriteOperation<DocumentRecord>;

/** The changes, and those of the index entries that go with removed documents. */
function withEntries(changes: readonly Change[], stored: ReadonlyMap<string, Stored>): readonly Change[] {
  const entries = changes
    .filter(({ readsStored }) => readsStored)
    .flatMap((change) => fold(change.steps, stored.get(nameOf(change))).removedEntries);
  if (entries.length === 0) return changes;
  const all = Changes.from(changes);
  for (const entry of entries) all.removeEntry(entry);
  return all.all();
}

const nameOf = ({ collection, id }: Change): string => `${collection}\0${id}`;

function byCollection<T extends { readonly change: Change }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.change.collection);
    if (group === undefined) groups.set(item.change.collection, [item]);
    else group.push(item);
  }
  return groups;
}

function checked(after: Stored): Stored {
  const bytes = after.json?.length ?? 0;
  if (bytes > MAX_JSON_BYTES)
    throw new UnwritableDocument(`a document of ${bytes} bytes is longer than ${MAX_JSON_BYTES}`);
  return after;
}

/** Whether a record is what was to be written, or something newer. */
function isAsNew(record: DocumentRecord | undefined, after: Stored): boolean {
  if (record === undefined) return false;
  const stored = storedOf(record);
  return (
    stored.version > after.version || (stored.version === after.version && stored.amended >= after.amended)
  );
}

const writtenBy = ({ matchedCount, upsertedCount, insertedCount }: BulkWriteResult): number =>
  matchedCount + upsertedCount + insertedCount;

/** The operations that failed since there is such a document; any other failure is thrown on. */
function duplicatesOf(error: MongoBulkWriteError): number[] {
  const failures = [error.writeErrors].flat();
  const isHarmless = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
  if (!isHarmless || error.result.getWriteConcernError() !== undefined) throw error;
  return failures.map(({ index }) => index);
}
