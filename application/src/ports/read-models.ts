import type { Position } from './event-log.js';

/**
 * The read-model store's port: documents under ordered keys in named collections.
 * Everything in it can be thrown away and built again from the log.
 *
 * A key is up to three numbers, then perhaps a string; keys are ordered by number, and strings by UTF-16 code units.
 */
export type DocumentKey = readonly [...numbers: number[]] | readonly [...numbers: number[], text: string];

export interface StoredDocument {
  readonly key: DocumentKey;
  /** Of the stream that the document belongs to: which of its events wrote it last. */
  readonly revision: number;
  /** JSON text in UTF-8, or bytes of a form that the collection declares. Valid until the next await: copy it to keep it. */
  readonly value: Uint8Array;
}

/**
 * Carried out where nothing is stored under the key, or what is stored, a removed document too, is of a lower revision;
 * otherwise left out. So a repeat, an interruption or a second projector does no harm.
 */
export type DocumentWrite = {
  readonly collection: string;
  readonly key: DocumentKey;
  /** Of the event that makes the write, in the one stream that the document belongs to. */
  readonly revision: number;
} & (
  | {
      readonly op: 'put';
      readonly value: Uint8Array;
      /** Under which numbers it is found by each declared index; it stands in none of those that are not named. */
      readonly indexed?: Readonly<Record<string, readonly number[]>>;
    }
  /** What remains is the revision. */
  | { readonly op: 'remove' }
);

export interface FindOptions {
  /** Only keys that begin with these numbers. */
  readonly prefix: readonly number[];
  /** Only keys behind this one (or, in reverse, before it). */
  readonly after?: DocumentKey;
  readonly limit?: number;
  readonly reverse?: boolean;
}

export interface IndexOptions {
  /** Only what is indexed under these numbers and one more. */
  readonly prefix: readonly number[];
  /** The least that the number behind the prefix may be. */
  readonly from?: number;
  /** The most that the number behind the prefix may be. */
  readonly upTo?: number;
  readonly limit?: number;
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
  /** Up to here (inclusive) everything is applied; events behind it may be, too. */
  readonly position: Position | undefined;
  /** Never of a stream that is deleted some day. Kept with the progress, and not compared where that is expected. */
  readonly last?: LastProjected;
}

/** A stream whose projection stopped at an event that cannot be applied. */
export interface ParkedStream {
  readonly stream: string;
  /** Of the first event that is not applied. */
  readonly revision: number;
  readonly problem: string;
}

/** What goes together with a move of the progress. */
export interface ProgressChanges {
  /** Written as `write` does, before the progress moves, and where that is refused too; with it where the store has transactions. */
  readonly documents?: readonly (readonly DocumentWrite[])[];
  /**
   * The caller passed their events by: refused where one of them is not parked any more, since whoever projected it again
   * may have ended before those events.
   */
  readonly skipped?: readonly string[];
  /** Skipped from now on. */
  readonly park?: ParkedStream;
  /** Projected with the others from now on. */
  readonly unpark?: string;
}

/** What is stored under a key; `value` is absent where the document was removed, and otherwise the caller's own. */
export interface NewestDocument {
  readonly revision: number;
  readonly value: Uint8Array | undefined;
}

/** Makes something of a document; its bytes are valid for as long as the call. */
export type TakeValue<T> = (value: Uint8Array | undefined, place: number) => T;

export interface ReadModelReader {
  /** In bytes of the caller's own. */
  get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined>;
  /** What is made of several, in the order of the keys. */
  getMany<T>(collection: string, keys: readonly DocumentKey[], take: TakeValue<T>): Promise<readonly T[]>;
  /** In key order. The iteration sees one consistent state where the store can give it. */
  find(collection: string, options: FindOptions): AsyncIterable<StoredDocument>;
  /** The same in runs as the store reads them, none of them empty: much cheaper where all of many documents are wanted. */
  findBatches(collection: string, options: FindOptions): AsyncIterable<readonly StoredDocument[]>;
  /** By a declared index, in its order, then in that of keys. */
  findByIndex(collection: string, index: string, options: IndexOptions): AsyncIterable<StoredDocument>;
  progress(): Promise<Progress>;
  parkedStreams(): Promise<readonly ParkedStream[]>;
  /**
   * Resolves with true once this event of the stream, and with it all before it, is applied, with false at the time-out.
   * One shared watch for each process.
   */
  reached(stream: string, revision: number, timeoutMs: number): Promise<boolean>;
  /** The same for everything in the log up to `position`. */
  reachedPosition(position: Position, timeoutMs: number): Promise<boolean>;
}

export interface ReadModelWriter {
  /**
   * What the next write is decided by: the newest state, of removed documents the revision, and known by the majority where
   * the store has one, so that who leaves something out because of it loses nothing. In the order of the keys. Where this
   * and a write are under way at once, either comes first. `copy` says where to keep a value that is not the caller's own yet.
   */
  newest(
    collection: string,
    keys: readonly DocumentKey[],
    copy?: (value: Uint8Array) => Uint8Array,
  ): Promise<readonly (NewestDocument | undefined)[]>;
  /**
   * Each write by itself; those of a stage are there before the next begins. Resolves once all of it is durable, where the
   * store has a majority known by it: what was left out, because something as new stood there already, too. In one
   * transaction where the store has them. A stage writes a document once. `UnwritableDocument` before anything is written.
   */
  write(stages: readonly (readonly DocumentWrite[])[]): Promise<void>;
  /** Moves the progress, which only grows. False, and no more than documents written, where it is not `expected`: somebody else has moved it. */
  advance(expected: Progress, next: Progress, changes?: ProgressChanges): Promise<boolean>;
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
 * generation of its own version. Where there is none, reading and writing fail with `ReadModelsBuilding`.
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

  constructor(message = 'the read models of this version are being built') {
    super(message);
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
