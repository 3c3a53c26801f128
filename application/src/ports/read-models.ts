import type { Position } from './event-log.js';

/**
 * The read-model store's port: documents under ordered keys in named collections, plus opaque blobs for state snapshots.
 * Everything in it can be thrown away and built again from the log.
 *
 * A key is one to three numbers, then perhaps a string; keys are ordered by number, and strings by UTF-16 code units.
 */
export type DocumentKey = readonly [...numbers: number[]] | readonly [...numbers: number[], text: string];

export interface StoredDocument {
  readonly key: DocumentKey;
  /** JSON text in UTF-8. Valid until the next await: copy it to keep it. */
  readonly json: Uint8Array;
}

/** The event that makes a write, and which of its parts, counted from 1. */
export interface WriteOrigin {
  readonly position: Position;
  readonly part: number;
}

/** The document that goes with another one: its key is these numbers, a member of the other, a text or a number, and the suffix. */
export interface IndexEntry {
  readonly collection: string;
  readonly prefix: readonly number[];
  readonly member: string;
  /** Only behind a number. */
  readonly suffix?: readonly number[];
}

export type DocumentWrite = {
  /**
   * What orders the writes of one document where a store has no transactions: a write that comes from an earlier place
   * than the stored document is left out there. Absent: the progress that the write is applied with.
   */
  readonly origin?: WriteOrigin;
} & (
  | {
      readonly op: 'put';
      readonly collection: string;
      readonly key: DocumentKey;
      readonly json: Uint8Array;
      /** Members that the stored document, where there is one, hands on to the new one. */
      readonly keep?: readonly string[];
      /**
       * The write is left out unless a document is stored, by an earlier write of the same batch too, whose member has one
       * of these values; a member that is absent has none of them.
       */
      readonly ifStored?: { readonly member: string; readonly in: readonly (string | number | null)[] };
      /** The write is left out where this document was stored before the batch. */
      readonly unless?: { readonly collection: string; readonly key: DocumentKey };
      /** Goes where this write replaces a document: the entry is that of the replaced one. */
      readonly indexedBy?: IndexEntry;
    }
  | {
      readonly op: 'remove';
      readonly collection: string;
      readonly key: DocumentKey;
      /** Goes with the removed document. */
      readonly indexedBy?: IndexEntry;
    }
);

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

/** The last event that was projected: another log, or this one restored, does not hold it. */
export interface LastProjected {
  /** Null where the log did not say so then. */
  readonly installationId: string | null;
  readonly stream: string;
  readonly revision: number;
  /** Hex. */
  readonly chain: string;
}

export interface Progress {
  /** Up to here (inclusive) everything is applied. */
  readonly position: Position | undefined;
  /** Within the event behind `position`: how many of its parts are applied; 0 between events. */
  readonly parts: number;
  /** Never of a stream that is deleted some day. Kept with the progress, and not compared where that is expected. */
  readonly last?: LastProjected;
}

/** Where the projection of a stream stands that is not projected with the others. */
export interface StreamPlace {
  readonly stream: string;
  /** Of the first event that is not applied whole. */
  readonly revision: number;
  /** How many of that event's parts are applied; none where it is absent. */
  readonly parts?: number;
}

/** A stream whose projection stopped at an event that cannot be applied. */
export interface ParkedStream extends StreamPlace {
  readonly problem: string;
}

/** A stream whose large event is being projected beside the others; what lies behind that event waits for it. */
export type LaggingStream = StreamPlace;

/** What an `apply` asks and says of streams that are not projected with the others. */
export interface StreamChanges {
  /** The caller skips their events: refused where one of them is neither parked nor lagging any more. */
  readonly skipped?: readonly string[];
  /** The caller projects this stream: refused where it stands anywhere else, because somebody else went on with it. */
  readonly expected?: StreamPlace;
  /** Parked or lagging from now on, or moved to another place. */
  readonly setAside?: ParkedStream | LaggingStream;
  /** Projected with the others from now on. */
  readonly resumed?: string;
}

/** Whose projection is awaited. */
export interface AwaitedEvent {
  readonly stream: string;
  /** Of the event at the position. */
  readonly revision?: number;
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
  parkedStreams(): Promise<readonly ParkedStream[]>;
  laggingStreams(): Promise<readonly LaggingStream[]>;
  /**
   * Resolves with true once everything up to `position` is applied, with false at the time-out. Where a stream is named
   * it does not wait for others that are behind; where a revision is, it does not wait either, but is false, while an
   * earlier event of the stream is being projected. One shared watch for each process.
   */
  reached(position: Position, timeoutMs: number, awaited?: AwaitedEvent): Promise<boolean>;
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
   * Writes, progress and what becomes of streams that are set aside. False, and nothing done, where the stored progress
   * is not `expected`, or where the streams are not as `streams` says. All of it is checked with the write, so that
   * whoever was paused since it last looked writes nothing that somebody else has gone beyond.
   *
   * In one transaction where the store has them. Elsewhere the documents come first and the progress last, and whoever
   * applies the same events again, or falls behind in the middle, does no harm: no document goes back to an earlier
   * `origin`, what a removal found its index entry by is there until the entry is gone, and the last write of an event
   * is seen only when all its others are. A document then has to be written by the events of one stream, but for writes
   * on condition of what is stored, and for entries of an index that whoever reads it checks against the log.
   */
  apply(
    expected: Progress,
    writes: readonly DocumentWrite[],
    next: Progress,
    streams?: StreamChanges,
  ): Promise<boolean>;
  /** Chunks first, the pointer last; an older snapshot of the stream goes. */
  writeSnapshot(snapshot: StateSnapshot): Promise<void>;
}

export interface GenerationInfo {
  readonly name: string;
  /**
   * `live`: the newest complete one of this process's version, which it reads. `building`: of its version, and not complete.
   * `other`: of another version, whose processes read it, or build it. `retired`: there is a newer one of its version.
   */
  readonly status: 'building' | 'live' | 'other' | 'retired';
  /** Of the projections that fill it; null where it does not say. */
  readonly version: string | null;
  /** When it was last written to while it is built, or since when it is complete (ms since the epoch). */
  readonly at: number;
  readonly progress: Progress;
}

/**
 * The read models of one version of the projections: all that a process reads and writes is in the newest complete
 * generation of its own version. Where there is none, reading and writing fail with `ReadModelsBuilding`, and there are no
 * state snapshots.
 */
export interface ReadModels extends ReadModelReader, ReadModelWriter {
  /** Begins an empty generation of the own version, which nobody reads until `switchTo`. */
  newGeneration(): Promise<ReadModelGeneration>;
  /** The newest generation of the own version that was begun and is not complete, to go on with it. */
  unfinishedGeneration(): Promise<ReadModelGeneration | undefined>;
  /** Where the store has no generation at all: an empty one that is complete, as there is nothing to project. */
  beginEmpty(): Promise<void>;
  /** Of all versions, the older ones first. */
  generations(): Promise<readonly GenerationInfo[]>;
  close(): Promise<void>;
}

export interface ReadModelGeneration extends ReadModelReader, ReadModelWriter {
  readonly name: string;
  /** It is complete: from now on processes of its version read it. */
  switchTo(): Promise<void>;
  /** Throws it away, unless it is complete. */
  drop(): Promise<void>;
}

/** The store is away: an outage. */
export class ReadModelsUnavailable extends Error {
  override readonly name: string = 'ReadModelsUnavailable';
}

/** No generation of this process's version is complete yet: nothing can be shown until the projector has built it. */
export class ReadModelsBuilding extends ReadModelsUnavailable {
  override readonly name = 'ReadModelsBuilding';

  constructor() {
    super('the read models of this version are being built');
  }
}

const FOREIGN = {
  ahead: 'the read models know events that the log does not hold, as after the restore of an older log',
  other: 'the read models were made from another log, or from this one before it was restored',
} as const;

/** The read models are not this log's: nothing may be projected into them. They have to be built again. */
export class ForeignReadModels extends Error {
  override readonly name = 'ForeignReadModels';

  static because(why: keyof typeof FOREIGN): ForeignReadModels {
    return new ForeignReadModels(`${FOREIGN[why]}: run rollcall projections rebuild`);
  }
}

/** A write that no attempt can carry out, such as one under a key that is too long. Its text names no value. */
export class UnwritableDocument extends Error {
  override readonly name = 'UnwritableDocument';
}
