import { causeOfFailure } from '../../lmdb-errors.js';
import { Undeclared } from '../collections.js';
import type { Database } from 'lmdb';
import { openLmdbStore, type OpenedStore } from '../../lmdb-store.js';
import { ReadModelsUnavailable, UnwritableDocument, type ParkedStream } from '@rollcall/application';
import type { StoredProgress } from '../generation-rules.js';

/** Of one generation. `at`: when it was last written (ms since the epoch). */
export type GenerationProgress = StoredProgress & { readonly at?: number };

/** What is kept of a generation: `at` (ms since the epoch) is when it was begun, or since when it is complete. */
export interface GenerationRecord {
  /** `retired` was written by earlier versions. */
  readonly status: 'building' | 'live' | 'retired';
  readonly at: number;
  /** Of the projections that fill it; earlier versions did not say. */
  readonly version?: string;
}

/** The LMDB environment of the read models: one folder, several named databases, all in one transaction when needed. */
export interface Environment extends OpenedStore<unknown> {
  /** `last`: the highest number given to a generation. */
  readonly numbers: Database<number, 'last'>;
  readonly generations: Database<GenerationRecord, number>;
  readonly progress: Database<GenerationProgress, number>;
  readonly broken: Database<ParkedStream, [generation: number, stream: string]>;
  readonly records: Database<Buffer, Buffer>;
  /** The entries of the declared indexes. */
  readonly entries: Database<Buffer, Buffer>;
  /** As versions before had them, documents and state snapshots: they go with their generations. */
  readonly formerDocuments: Database<Buffer, Buffer>;
  readonly formerPointers: Database<unknown, [generation: number, stream: string, stateVersion: number]>;
  readonly formerChunks: Database<unknown, [generation: number, id: number, chunk: number]>;
}

const MAX_READERS = 1_000;

/**
 * A document over half a page takes whole ones: of the blocks of a large company, some 38 KB each, those of 16 KiB would leave a
 * quarter empty.
 */
const PAGE_BYTES = 4 * 1024;

/**
 * Opens the environment in a folder that is there, by its real path, and creates what is missing in it. The measured price of
 * a sync is 0.3 to 2 ms a transaction, 20 to 50 ms for 100,000 documents, and the cheaper settings either save nothing
 * (`noMetaSync`) or can leave a damaged file after a power cut (`noSync`).
 */
export function openEnvironment(folder: string, sync: boolean): Promise<Environment> {
  const json = { encoding: 'json' } as const;
  const options = { folder, sync, maxReaders: MAX_READERS, pageSize: PAGE_BYTES, ...json };
  return openLmdbStore<unknown, Omit<Environment, keyof OpenedStore<unknown>>>(options, (root) => ({
    numbers: root.openDB({ name: 'numbers', ...json }),
    generations: root.openDB({ name: 'generations', ...json }),
    progress: root.openDB({ name: 'progress', ...json, useVersions: true }),
    broken: root.openDB({ name: 'broken', ...json }),
    records: root.openDB({ name: 'records', ...bytes }),
    entries: root.openDB({ name: 'entries', ...bytes }),
    formerDocuments: root.openDB({ name: 'documents', ...bytes }),
    formerPointers: root.openDB({ name: 'pointers', ...json }),
    formerChunks: root.openDB({ name: 'chunks', encoding: 'binary' }),
  }));
}

/** Values pass as they are; a value read is a view of the library's own buffer and valid until the next read. */
const bytes = {
  keyEncoding: 'binary',
  encoding: 'binary',
  encoder: {
    encode: (value: Buffer): Buffer => value,
    // The second argument is the size in a range, the options in a get; there the buffer's own length is right.
    decode: (bytes: Buffer, size: unknown): Buffer =>
      bytes.subarray(0, typeof size === 'number' ? size : bytes.length),
  },
} as const;

/** What is no outage, or is one already. */
const OF_THE_CALLER = [ReadModelsUnavailable, UnwritableDocument, Undeclared];

/** Runs a use of the store; what fails in it is an outage. */
export async function orUnavailable<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (OF_THE_CALLER.some((kind) => error instanceof kind)) throw error;
    throw new ReadModelsUnavailable('the read models are away', { cause: await causeOfFailure(error) });
  }
}
