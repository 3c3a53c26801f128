import type { Position } from '../event-log/port.js';

/**
 * The read-model store's port: documents under ordered keys in named collections, plus opaque blobs for state snapshots.
 * Everything in it can be thrown away and built again from the log.
 *
 * A key is one or two numbers, then perhaps a string; keys are ordered by number, and strings by UTF-16 code units.
 */
export type DocumentKey = readonly [...numbers: number[]] | readonly [...numbers: number[], text: string];

export interface StoredDocument {
  readonly key: DocumentKey;
  /** JSON text in UTF-8. Valid until the next await: copy it to keep it. */
  readonly json: Uint8Array;
}

export type DocumentWrite =
  | {
      readonly op: 'put';
      readonly collection: string;
      readonly key: DocumentKey;
      readonly json: Uint8Array;
      /** Members that the stored document, where there is one, hands on to the new one. */
      readonly keep?: readonly string[];
    }
  | {
      readonly op: 'remove';
      readonly collection: string;
      readonly key: DocumentKey;
      /** The document that goes with it: its key is these numbers and a text member of the removed document. */
      readonly indexedBy?: {
        readonly collection: string;
        readonly prefix: readonly number[];
        readonly member: string;
      };
    };

export interface FindOptions {
  /** Only keys that begin with these numbers. */
  readonly prefix: readonly number[];
  /** Only keys behind this one (or, in reverse, before it). */
  readonly after?: DocumentKey;
  readonly limit?: number;
  readonly reverse?: boolean;
  /**
   * The found documents are an index: each is the JSON text of a key of numbers, and the documents under those keys in
   * this collection are given instead, under the index's key. One that is missing is left out.
   */
  readonly target?: string;
}

export interface Progress {
  /** Up to here (inclusive) everything is applied. */
  readonly position: Position | undefined;
  /** Within the event behind `position`: how many of its parts are applied; 0 between events. */
  readonly parts: number;
}

/** A stream whose projection stopped at an event that cannot be applied. */
export interface BrokenStream {
  readonly stream: string;
  readonly revision: number;
  readonly problem: string;
}

export interface ReadModelReader {
  get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined>;
  /** Several at once, in the order of the keys. */
  getMany(collection: string, keys: readonly DocumentKey[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** In key order. The iteration sees one consistent state where the store can give it. */
  find(collection: string, options: FindOptions): AsyncIterable<StoredDocument>;
  /** The same in runs as the store reads them, none of them empty: much cheaper where all of many documents are wanted. */
  findBatches(collection: string, options: FindOptions): AsyncIterable<readonly StoredDocument[]>;
  progress(): Promise<Progress>;
  brokenStreams(): Promise<readonly BrokenStream[]>;
  /**
   * Resolves with true once everything up to `position` is applied, with false at the time-out.
   * One shared watch for each process.
   */
  reached(position: Position, timeoutMs: number): Promise<boolean>;
  /** A state snapshot, whole and with a right SHA-256, or undefined (design: "Deciding", 1). */
  readSnapshot(stream: string, stateVersion: number): Promise<StateSnapshot | undefined>;
}

export interface StateSnapshot {
  readonly stream: string;
  readonly revision: number;
  readonly stateVersion: number;
  /** The chain value of the event at `revision`, hex. */
  readonly chain: string;
  /** `recordedAt` of the event at `revision`. */
  readonly recordedAt: string;
  readonly bytes: Uint8Array;
}

export interface ReadModelWriter {
  /**
   * Writes and progress in one transaction. False, and nothing done, where the stored progress is not `expected`, or
   * where one of `stillBroken` (streams that the caller takes for broken) no longer is.
   */
  apply(
    expected: Progress,
    writes: readonly DocumentWrite[],
    next: Progress,
    stillBroken?: readonly string[],
  ): Promise<boolean>;
  recordBroken(broken: BrokenStream): Promise<void>;
  /** The stream is whole again up to `expected`. False, and nothing done, where the progress is another one by now. */
  clearBroken(stream: string, expected: Progress): Promise<boolean>;
  /** Chunks first, the pointer last; an older snapshot of the stream goes. */
  writeSnapshot(snapshot: StateSnapshot): Promise<void>;
}

export interface ReadModels extends ReadModelReader, ReadModelWriter {
  /** Begins an empty generation that nobody reads until `switchTo`. */
  newGeneration(): Promise<ReadModelGeneration>;
  close(): Promise<void>;
}

export interface ReadModelGeneration extends ReadModelReader, ReadModelWriter {
  readonly name: string;
  /** Makes this generation the one that everybody reads. */
  switchTo(): Promise<void>;
  /** Throws it away. */
  drop(): Promise<void>;
}

/** The store is away: an outage. */
export class ReadModelsUnavailable extends Error {
  override readonly name = 'ReadModelsUnavailable';
}

/** A write that no attempt can carry out, such as one under a key that is too long. Its text names no value. */
export class UnwritableDocument extends Error {
  override readonly name = 'UnwritableDocument';
}
