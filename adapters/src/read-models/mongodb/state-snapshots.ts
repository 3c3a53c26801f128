import { randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { StateSnapshot } from '@rollcall/application';
import { sha256 } from '../sha256.js';
import type { Connection, Deadline } from './connection.js';
import { isDuplicateKey } from './outages.js';
import { prefixOf } from './documents.js';
import { encodeKey } from './keys.js';

const CHUNK_BYTES = 1024 * 1024;

/** How often a reader begins again because the snapshot was replaced under it. */
const ATTEMPTS = 5;

/** Chunks without a pointer may belong to a snapshot that is being written. */
const UNFINISHED_MS = 60 * 60_000;

/** Points to the chunks of a state snapshot; written behind them. */
interface SnapshotPointer {
  readonly _id: string;
  readonly id: string;
  readonly revision: number;
  readonly chain: string;
  readonly recordedAt: string;
  readonly bytes: number;
  readonly chunks: number;
  readonly sha256: string;
}

interface SnapshotChunk {
  readonly _id: string;
  readonly bytes: Uint8Array;
}

/** The state snapshots of one generation. Chunks never change. */
export class StateSnapshots {
  readonly #connection: Connection;
  readonly #pointers: Collection<SnapshotPointer>;
  readonly #chunks: Collection<SnapshotChunk>;
  readonly #now: () => number;

  constructor(connection: Connection, generation: number, now: () => number) {
    this.#connection = connection;
    // Names that no collection of documents has.
    this.#pointers = connection.collection(`${prefixOf(generation)}.snapshots`);
    this.#chunks = connection.collection(`${prefixOf(generation)}.snapshot-chunks`);
    this.#now = now;
  }

  /** Chunks first, each call with a deadline of its own; then the pointer, unless it points to a newer snapshot. */
  async write(snapshot: StateSnapshot): Promise<void> {
    const id = newId(this.#now());
    const count = Math.ceil(snapshot.bytes.length / CHUNK_BYTES);
    for (let chunk = 0; chunk < count; chunk += 1) {
      // A copy: the caller may go on with its own.
      const bytes = Buffer.from(snapshot.bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES));
      await this.#connection.write((deadline) =>
        deadline.step(() => this.#chunks.insertOne({ _id: chunkId(id, chunk), bytes })),
      );
    }
    const { revision, chain, recordedAt } = snapshot;
    const pointer = { id, revision, chain, recordedAt, bytes: snapshot.bytes.length, chunks: count };
    const replaced = await this.#point(snapshot, { ...pointer, sha256: await sha256(snapshot.bytes) });
    if (replaced !== undefined) await this.#removeChunks([replaced]);
  }

  /** On shared memory, so that worker threads can have it without a copy; undefined where anything is missing or wrong. */
  async read(stream: string, stateVersion: number): Promise<StateSnapshot | undefined> {
    let before: SnapshotPointer | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const pointer = await this.#connection.read((deadline) =>
        this.#pointer(stream, stateVersion, deadline),
      );
      if (pointer === undefined || pointer.id === before?.id) return undefined;
      const bytes = await this.#bytes(pointer);
      const { revision, chain, recordedAt } = pointer;
      if (bytes !== undefined) return { stream, stateVersion, revision, chain, recordedAt, bytes };
      before = pointer;
    }
    return undefined;
  }

  /** Removes chunks that no pointer leads to, left behind by a process that ended. */
  async sweep(): Promise<void> {
    const orphans = await this.#connection.read(async (deadline) => {
      const ids = { projection: { _id: 1 } };
      const chunks = await deadline.step(() => this.#chunks.find({}, ids).toArray());
      const pointers = await deadline.step(() =>
        this.#pointers.find({}, { projection: { id: 1 } }).toArray(),
      );
      const known = new Set(pointers.map(({ id }) => id));
      const old = this.#now() - UNFINISHED_MS;
      const found = new Set(chunks.map(({ _id }) => snapshotOf(_id)));
      return [...found].filter((id) => !known.has(id) && begunAt(id) < old);
    });
    if (orphans.length > 0) await this.#removeChunks(orphans);
  }

  /** The id of the snapshot that is no longer pointed to: the one before, or the new one where that is no newer. */
  #point(
    { stream, stateVersion, revision }: StateSnapshot,
    pointer: Omit<SnapshotPointer, '_id'>,
  ): Promise<string | undefined> {
    const filter = { _id: pointerId(stream, stateVersion), revision: { $lte: revision } };
    return this.#connection.write(async (deadline) => {
      for (const upsert of [true, false]) {
        try {
          const before = await deadline.step(() =>
            this.#pointers.findOneAndReplace(filter, pointer, { upsert, returnDocument: 'before' }),
          );
          return before?.id ?? (upsert ? undefined : pointer.id);
        } catch (error) {
          // One that is newer, or one that was inserted at this very moment.
          if (!isDuplicateKey(error)) throw error;
        }
      }
      return pointer.id;
    });
  }

  async #pointer(
    stream: string,
    stateVersion: number,
    deadline: Deadline,
  ): Promise<SnapshotPointer | undefined> {
    const filter = { _id: pointerId(stream, stateVersion) };
    const found = await deadline.step((maxTimeMS) => this.#pointers.findOne(filter, { maxTimeMS }));
    return found ?? undefined;
  }

  async #bytes(pointer: SnapshotPointer): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(new SharedArrayBuffer(pointer.bytes));
    let used = 0;
    for (let chunk = 0; chunk < pointer.chunks; chunk += 1) {
      const found = await this.#connection.read((deadline) =>
        deadline.step((maxTimeMS) =>
          this.#chunks.findOne({ _id: chunkId(pointer.id, chunk) }, { maxTimeMS }),
        ),
      );
      if (found === null || used + found.bytes.length > bytes.length) return undefined;
      bytes.set(found.bytes, used);
      used += found.bytes.length;
    }
    return used === bytes.length && (await sha256(bytes)) === pointer.sha256 ? bytes : undefined;
  }

  async #removeChunks(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const ofSnapshot = { _id: { $gte: `${id}.`, $lt: `${id}/` } };
      await this.#connection.write((deadline) => deadline.step(() => this.#chunks.deleteMany(ofSnapshot)));
    }
  }
}

const pointerId = (stream: string, stateVersion: number): string => encodeKey([stateVersion, stream]);

/** When it was begun, in milliseconds and to be sorted, and what makes it unique. */
const newId = (now: number): string =>
  `${now.toString(16).padStart(12, '0')}-${randomBytes(12).toString('hex')}`;

const begunAt = (id: string): number => parseInt(id.slice(0, 12), 16);

const chunkId = (id: string, chunk: number): string => `${id}.${chunk}`;
const snapshotOf = (chunk: string): string => chunk.slice(0, chunk.indexOf('.'));
