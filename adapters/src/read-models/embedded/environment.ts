import { causeOfFailure, codeOfFailure, openLmdbStore, type OpenedStore } from '../../lmdb-store.js';
import { Undeclared, type StoredProgress } from '../generation-rules.js';
import type { Database } from 'lmdb';
import { ReadModelsUnavailable, UnwritableDocument, type ParkedStream } from '@rollcall/application';

/** `at` (ms since the epoch): the start, or once complete the completion. */
export interface GenerationRecord {
  /** Only earlier versions wrote `retired`. */
  readonly status: 'building' | 'live' | 'retired';
  readonly at: number;
  readonly claim?: string | undefined;
  /** The projections' version; earlier versions did not write it. */
  readonly version?: string;
}

/** One folder with several named databases, which can share a transaction. */
export interface Environment extends OpenedStore<unknown> {
  readonly numbers: Database<number, 'last'>;
  readonly generations: Database<GenerationRecord, number>;
  readonly progress: Database<StoredProgress & { readonly at?: number }, number>;
  readonly parked: Database<ParkedStream, [generation: number, stream: string]>;
  readonly records: Database<Buffer, Buffer>;
  readonly entries: Database<Buffer, Buffer>;
  /** Documents and snapshots of earlier versions; dropped with their generations. */
  readonly formerDocuments: Database<Buffer, Buffer>;
  readonly formerPointers: Database<unknown, [generation: number, stream: string, stateVersion: number]>;
  readonly formerChunks: Database<unknown, [generation: number, id: number, chunk: number]>;
}

const MAX_READERS = 1_000;

/** A document over half a page takes whole pages: with 16 KiB pages, 38 KB blocks would leave a quarter empty. */
const PAGE_BYTES = 4 * 1024;

/** Opens an existing folder (real path). `noSync` can leave a damaged file after a power cut; `noMetaSync` saves nothing. */
export function openEnvironment(folder: string, sync: boolean): Promise<Environment> {
  const json = { encoding: 'json' } as const;
  const options = { folder, sync, maxReaders: MAX_READERS, pageSize: PAGE_BYTES, ...json };
  return openLmdbStore<unknown, Omit<Environment, keyof OpenedStore<unknown>>>(options, (root) => ({
    numbers: root.openDB({ name: 'numbers', ...json }),
    generations: root.openDB({ name: 'generations', ...json }),
    progress: root.openDB({ name: 'progress', ...json, useVersions: true }),
    // The stored name: another one would need a migration.
    parked: root.openDB({ name: 'broken', ...json }),
    records: root.openDB({ name: 'records', ...bytes }),
    entries: root.openDB({ name: 'entries', ...bytes }),
    formerDocuments: root.openDB({ name: 'documents', ...bytes }),
    formerPointers: root.openDB({ name: 'pointers', ...json }),
    formerChunks: root.openDB({ name: 'chunks', encoding: 'binary' }),
  }));
}

/** A value read is a view of the library's buffer, valid until the next read. */
const bytes = {
  keyEncoding: 'binary',
  encoding: 'binary',
  encoder: {
    encode: (value: Buffer): Buffer => value,
    // In a range the second argument is the size, in a get the options.
    decode: (bytes: Buffer, size: unknown): Buffer =>
      bytes.subarray(0, typeof size === 'number' ? size : bytes.length),
  },
} as const;

const OF_THE_CALLER = [ReadModelsUnavailable, UnwritableDocument, Undeclared];

/** Turns errors of the store into `ReadModelsUnavailable`. */
export async function orUnavailable<T>(folder: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (OF_THE_CALLER.some((kind) => error instanceof kind)) throw error;
    const cause = await causeOfFailure(error);
    const code = await codeOfFailure(cause, folder);
    throw new ReadModelsUnavailable(`The read models in ${folder} failed: ${code}`, { cause });
  }
}
