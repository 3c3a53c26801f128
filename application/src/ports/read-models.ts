import type { Position } from './event-log.js';

/**
 * The read-model store's port: documents under ordered keys in named collections. All of it can be rebuilt from the log. A key is up to
 * three numbers, then perhaps a string; ordered by number, strings by UTF-16 code units.
 */
export type DocumentKey = readonly [...numbers: number[]] | readonly [...numbers: number[], text: string];

export interface StoredDocument {
  readonly key: DocumentKey;
  /** Of the owning stream: the event that wrote it last. */
  readonly revision: number;
  /** JSON text in UTF-8, or the collection's binary form. Valid until the next await: copy it to keep it. */
  readonly value: Uint8Array;
}

/** Applied only where the stored revision, also of a removed document, is lower. Repeats and a second projector do no harm. */
export type DocumentWrite = {
  readonly collection: string;
  readonly key: DocumentKey;
  readonly revision: number;
} & (
  | {
      readonly op: 'put';
      readonly value: Uint8Array;
      /** Its numbers in each declared index; in the others it has no entry. */
      readonly indexed?: Readonly<Record<string, readonly number[]>>;
    }
  /** The revision remains. */
  | { readonly op: 'remove' }
  /** Deletes it with its revision, and those whose keys differ in the last number alone, from `from` on. A late write may bring one back. */
  | { readonly op: 'delete-to'; readonly from?: number }
);

export interface FindOptions {
  readonly prefix: readonly number[];
  readonly after?: DocumentKey;
  readonly limit?: number;
  readonly reverse?: boolean;
}

/** Keys of a collection, or the numbers of one of its indexes. Both ends are as short as they need to be: a prefix stands before what it begins. */
export interface CountRange {
  readonly index?: string;
  readonly from: DocumentKey;
  /** Exclusive. */
  readonly to: DocumentKey;
}

export interface IndexOptions {
  /** The numbers before the one that orders the entries. */
  readonly prefix: readonly number[];
  readonly from?: number;
  readonly upTo?: number;
  readonly limit?: number;
}

/** The last projected event; another or a restored log does not hold it. */
export interface LastProjected {
  /** Null where the log did not say. */
  readonly installationId: string | null;
  readonly stream: string;
  readonly revision: number;
  readonly chain: string;
  /** Decimal digits. Older versions write none. */
  readonly position?: string;
}

/** Parts of the streams that stand at one position. */
export interface Share {
  /** The projector that holds a lease of them; null where nobody does. */
  readonly holder: string | null;
  /** A bit for each of the 64 parts. */
  readonly parts: bigint;
  /** Everything up to here (inclusive) is applied in them. */
  readonly position: Position | undefined;
  /** Grows while the holder lives and is not alone. */
  readonly beats: number;
}

export interface Progress {
  /** Everything up to here (inclusive) is applied; later events may be, too. The lowest of the shares. */
  readonly position: Position | undefined;
  /** Absent where nobody holds a part. */
  readonly shares?: readonly Share[];
  /** Never of a stream that may be deleted. Not part of the comparison with `expected`. */
  readonly last?: LastProjected;
  /** With what the build began. Not part of the comparison either. */
  readonly copied?: CopiedCollections;
}

/** Copied from a generation of another version. */
export interface CopiedCollections {
  readonly names: readonly string[];
  /** The events up to here are in them. Absent while the copy is incomplete. */
  readonly upTo?: Position;
  /** The newest event that may be in them. */
  readonly last?: LastProjected;
}

export interface ParkedStream {
  readonly stream: string;
  readonly revision: number;
  readonly problem: string;
}

export interface ProgressChanges {
  /** Written before the progress moves, even where that is refused; in one transaction where the store has them. */
  readonly documents?: readonly (readonly DocumentWrite[])[];
  /** Streams whose events the caller skipped. Refused where one is no longer parked: its retry may have ended before those events. */
  readonly skipped?: readonly string[];
  readonly park?: readonly ParkedStream[];
  readonly unpark?: string;
  /** Who moves its shares. Without one nobody may hold any. */
  readonly holder?: string | undefined;
}

/** `value` is absent where the document was removed; otherwise the caller owns it. */
export interface NewestDocument {
  readonly revision: number;
  readonly value: Uint8Array | undefined;
}

/** Reads a document; its bytes are valid during the call. */
export type TakeValue<T> = (value: Uint8Array | undefined, index: number) => T;

export interface ReadModelReader {
  get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined>;
  getMany<T>(collection: string, keys: readonly DocumentKey[], take: TakeValue<T>): Promise<readonly T[]>;
  /** In key order, from one consistent state where the store can give it. */
  find(collection: string, options: FindOptions): AsyncIterable<StoredDocument>;
  /** The same in non-empty batches: much cheaper for many documents. */
  findBatches(collection: string, options: FindOptions): AsyncIterable<readonly StoredDocument[]>;
  /** In the order of the index, then of the keys. */
  findByIndex(collection: string, index: string, options: IndexOptions): AsyncIterable<StoredDocument>;
  /**
   * How many keys each range has, without reading documents. Removed documents count among keys, and have no entry in an index. Not of one
   * consistent state.
   */
  count(collection: string, ranges: readonly CountRange[]): Promise<readonly number[]>;
  progress(): Promise<Progress>;
  parkedStreams(): Promise<readonly ParkedStream[]>;
  /** True once this event of the stream is applied, false at the timeout. One shared watch per process. */
  reached(stream: string, revision: number, timeoutMs: number): Promise<boolean>;
  reachedPosition(position: Position, timeoutMs: number): Promise<boolean>;
}

/** Writes one generation. Once a newer one of its version is live, each call throws `GenerationReplaced` and writes nothing. */
export interface ReadModelWriter {
  /**
   * The newest documents in the order of the keys, for deciding the next write: removed ones as their revision, read with majority where
   * the store has one. Not ordered with a concurrent write.
   */
  newest(collection: string, keys: readonly DocumentKey[]): Promise<readonly (NewestDocument | undefined)[]>;
  /**
   * Applies each write by itself, one stage after the other, or all in one transaction where the store has them. Resolves when all are
   * durable with majority, the skipped ones' newer documents too. A stage writes a document once. `UnwritableDocument` before anything is
   * written.
   */
  write(stages: readonly (readonly DocumentWrite[])[]): Promise<void>;
  /** Moves the progress, which only grows. False where it is not `expected`; documents may be written then. */
  advance(expected: Progress, next: Progress, changes?: ProgressChanges): Promise<boolean>;
  /** Who holds which parts from now on, by all that is known of it: `change` may be called again. No position changes. */
  share(change: (shares: readonly Share[]) => readonly Share[]): Promise<Progress>;
}

export interface GenerationInfo {
  readonly name: string;
  /**
   * `live`: the newest complete one of this process's version. `building`: of its version, incomplete. `other`: of another version.
   * `retired`: replaced by a newer one of its version.
   */
  readonly status: 'building' | 'live' | 'other' | 'retired';
  /** Of the projections; null where unknown. */
  readonly version: string | null;
  /** Last write while building, else completion (ms since the epoch). */
  readonly at: number;
  readonly progress: Progress;
}

/**
 * The read models of one version of the projections. A process reads the newest complete generation of its version, else
 * `ReadModelsBuilding`. A writer holds one generation: what it reads from one must not decide what it writes to another.
 */
export interface ReadModels extends ReadModelReader {
  /** Pinned to the generation that is live now. `ReadModelsBuilding` where there is none. */
  liveGeneration(): Promise<LiveGeneration>;
  /** The newest unfinished one, for those who help its builder; undefined where there is none. */
  unfinishedGeneration(): Promise<UnfinishedGeneration | undefined>;
  /** A new, claimed generation, unread until `switchTo`. */
  newGeneration(): Promise<ReadModelGeneration>;
  /** The newest unfinished generation, or a new one, for one builder at a time. `lapsed`: another's claim that was not renewed. */
  claimBuild(builder: string, lapsed?: string): Promise<BuildTurn>;
  /** For a store without generations: an empty complete one, since there is nothing to project. */
  beginEmpty(): Promise<void>;
  /** Of all versions, older ones first. */
  generations(): Promise<readonly GenerationInfo[]>;
  close(): Promise<void>;
}

export interface LiveGeneration extends ReadModelReader, ReadModelWriter {
  /** Rejects with `GenerationReplaced` once a newer one of its version is live. */
  ensureLive(): Promise<void>;
}

export interface UnfinishedGeneration extends ReadModelReader, ReadModelWriter {
  readonly name: string;
  /** Changes at each renewal. Undefined while nobody builds it. */
  readonly claim: string | undefined;
}

export type BuildTurn =
  | { readonly kind: 'complete' }
  /** Another process builds it. The claim changes at each renewal. */
  | { readonly kind: 'held'; readonly claim: string }
  | { readonly kind: 'claimed'; readonly generation: ReadModelGeneration };

/** The newest complete generation of another version. */
export interface CopySource {
  /** The collections that have the same number in both versions. */
  readonly unchanged: readonly string[];
  readonly readModels: ReadModelReader;
  /** Each document as it is at some moment of the call, removed ones too, as by `write`. */
  readonly copy: (collection: string, signal: AbortSignal) => Promise<void>;
}

/** A generation under construction. After losing the claim each call throws `GenerationReplaced`. */
export interface ReadModelGeneration extends ReadModelReader, ReadModelWriter {
  readonly name: string;
  /** Undefined where there is none. */
  copySource(): Promise<CopySource | undefined>;
  renewClaim(): Promise<void>;
  /** Anybody may continue it at once. */
  releaseClaim(): Promise<void>;
  /** It is complete: processes of its version read it from now on. */
  switchTo(): Promise<void>;
  /** Deletes it, unless it is complete or another process builds it. */
  drop(): Promise<void>;
}

export class ReadModelsUnavailable extends Error {
  override readonly name: string = 'ReadModelsUnavailable';
}

/** The store did not answer in time: ask for less. */
export class ReadModelsLate extends ReadModelsUnavailable {
  override readonly name = 'ReadModelsLate';
}

/** No generation of this version is complete yet. */
export class ReadModelsBuilding extends ReadModelsUnavailable {
  override readonly name = 'ReadModelsBuilding';

  constructor(message = 'the read models of this version are being built') {
    super(message);
  }
}

/** A newer generation of this version is live, or another process builds this one. */
export class GenerationReplaced extends ReadModelsUnavailable {
  override readonly name = 'GenerationReplaced';

  constructor(message = 'another generation of the read models is live') {
    super(message);
  }

  static byBuilder(): GenerationReplaced {
    return new GenerationReplaced('another process builds this generation of the read models');
  }
}

const FOREIGN = {
  ahead: 'the read models know events that the log does not hold, as after the restore of an older log',
  other: 'the read models were made from another log, or from this one before it was restored',
} as const;

/** The read models belong to another log, and have to be rebuilt. */
export class ForeignReadModels extends Error {
  override readonly name = 'ForeignReadModels';

  static because(why: keyof typeof FOREIGN): ForeignReadModels {
    return new ForeignReadModels(`${FOREIGN[why]}: run rollcall projections rebuild`);
  }
}

/** No attempt can carry out this write, such as one with too long a key. The text names no value. */
export class UnwritableDocument extends Error {
  override readonly name = 'UnwritableDocument';
}
