import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  GridFSBucket,
  MongoRuntimeError,
  ObjectId,
  type Collection,
  type CommandStartedEvent,
  type GridFSFile,
} from 'mongodb';
import {
  ReadModelsUnavailable,
  systemClock,
  type Clock,
  type StateSnapshot,
  type StateSnapshots,
} from '@rollcall/application';
import { Connection } from '../read-models/mongodb/connection.js';
import { OTHER_VERSION_MS, sealed, unsealed } from './seal.js';

export interface MongodbSnapshotsOptions {
  /** That of the read models, whose database it shares. */
  readonly url: string;
  readonly clock?: Clock;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}

/** No generation of read models has collections whose names begin like this. */
const BUCKET = 'snapshots';
const CHUNK_BYTES = 1024 * 1024;

const READ_MS = 10_000;
const WRITE_MS = 120_000;

/** How often a reader begins again because what it read was replaced meanwhile. */
const ATTEMPTS = 5;

/** Chunks without a file may belong to one that is being written. */
const UNFINISHED_MS = 60 * 60_000;

/** Files that are looked for in one query. */
const IDS = 1_000;

/**
 * State snapshots in a bucket of GridFS: one file for each, whose entry the driver writes behind its chunks. It connects when it is
 * first asked.
 */
export class MongodbSnapshots implements StateSnapshots {
  readonly #options: MongodbSnapshotsOptions;
  readonly #now: () => number;
  #connection: Promise<Connection> | undefined;
  #isSwept = false;
  #isClosed = false;

  constructor(options: MongodbSnapshotsOptions) {
    this.#options = options;
    const { clock = systemClock } = options;
    this.#now = () => clock.now();
  }

  async newest(stream: string, stateVersion: number): Promise<StateSnapshot | 'unusable' | undefined> {
    let before: ObjectId | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const file = (await this.#filesOf(stream, stateVersion))[0];
      if (file === undefined) return undefined;
      if (before?.equals(file._id) === true) return 'unusable';
      const bytes = await this.#bytes(file);
      if (bytes !== undefined) return unsealed(file.metadata, bytes, { stream, stateVersion });
      before = file._id;
    }
    return 'unusable';
  }

  /** Those go that were there before it was begun: of several that are put at once none removes another. */
  async put(snapshot: StateSnapshot): Promise<void> {
    const { stream, stateVersion } = snapshot;
    const replaced = await this.#filesOf(stream, stateVersion);
    await this.#upload(snapshot);
    for (const { _id } of replaced) await this.#remove(_id);
    // What is left over costs room only.
    if (!this.#isSwept) await this.#sweep(stateVersion).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  async #filesOf(stream: string, stateVersion: number): Promise<GridFSFile[]> {
    const filter = { filename: nameOf(stream, stateVersion) };
    const sort = { 'metadata.revision': -1, _id: -1 } as const;
    return this.#ask((connection, maxTimeMS) =>
      bucketOf(connection).find(filter, { sort, maxTimeMS }).toArray(),
    );
  }

  /** Undefined where it is not whole. */
  async #bytes({ _id }: GridFSFile): Promise<Uint8Array | undefined> {
    const connection = await this.#connected();
    return connection.read(async (deadline) => {
      const download = bucketOf(connection).openDownloadStream(_id);
      try {
        return await deadline.step(() => buffer(download));
      } catch (error) {
        if (error instanceof MongoRuntimeError) return undefined;
        throw error;
      } finally {
        download.destroy();
      }
    });
  }

  async #upload(snapshot: StateSnapshot): Promise<void> {
    const connection = await this.#connected();
    const { stream, stateVersion, bytes } = snapshot;
    const id = new ObjectId(ObjectId.generate(seconds(this.#now())));
    const metadata = { ...(await sealed(snapshot)) };
    const upload = bucketOf(connection).openUploadStreamWithId(id, nameOf(stream, stateVersion), {
      metadata,
    });
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      await connection.write((deadline) => deadline.step(() => pipeline(Readable.from([content]), upload)));
    } catch (error) {
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /** The entry first, so that nobody finds half of it. */
  async #remove(id: ObjectId): Promise<void> {
    const connection = await this.#connected();
    await connection.write(async (deadline) => {
      await deadline.step(() => filesIn(connection).deleteOne({ _id: id }));
      await deadline.step(() => chunksIn(connection).deleteMany({ files_id: id }));
    });
  }

  async #sweep(stateVersion: number): Promise<void> {
    this.#isSwept = true;
    await this.#removeOtherVersions(stateVersion);
    await this.#removeChunksWithoutFile();
  }

  async #removeOtherVersions(stateVersion: number): Promise<void> {
    const version = 'metadata.stateVersion';
    const found: unknown[] = await this.#ask((connection) => filesIn(connection).distinct(version));
    for (const other of found.filter((one) => one !== stateVersion)) {
      const files = await this.#ask((connection) =>
        filesIn(connection)
          .find({ [version]: other }, { sort: { _id: -1 } })
          .toArray(),
      );
      const last = files[0]?._id;
      if (last === undefined || this.#now() - last.getTimestamp().getTime() < OTHER_VERSION_MS) continue;
      for (const { _id } of files) await this.#remove(_id);
    }
  }

  /** What is left of one that was cut off while it was put or removed. */
  async #removeChunksWithoutFile(): Promise<void> {
    const connection = await this.#connected();
    const old = ObjectId.createFromTime(seconds(this.#now() - UNFINISHED_MS));
    let after = ObjectId.createFromTime(0);
    for (;;) {
      const filter = { files_id: { $gt: after, $lt: old } };
      const options = { projection: { _id: 0, files_id: 1 }, sort: { files_id: 1 }, limit: IDS } as const;
      const some = await this.#ask(() => chunksIn(connection).find(filter, options).toArray());
      const ids = some.map(({ files_id }) => files_id);
      const last = ids.at(-1);
      if (last === undefined) return;
      const known = await this.#ask(() => filesIn(connection).distinct('_id', { _id: { $in: ids } }));
      const without = { files_id: { $in: ids.filter((id) => !known.some((one) => one.equals(id))) } };
      await connection.write((deadline) => deadline.step(() => chunksIn(connection).deleteMany(without)));
      after = last;
    }
  }

  /** One question to the server. */
  async #ask<T>(question: (connection: Connection, leftMs: number) => Promise<T>): Promise<T> {
    const connection = await this.#connected();
    return connection.read((deadline) => deadline.step((leftMs) => question(connection, leftMs)));
  }

  #connected(): Promise<Connection> {
    if (this.#isClosed) throw new ReadModelsUnavailable('the state snapshots are closed');
    this.#connection ??= this.#open();
    return this.#connection;
  }

  async #open(): Promise<Connection> {
    const { url, commandStarted } = this.#options;
    try {
      return await Connection.open({ url, readMs: READ_MS, writeMs: WRITE_MS, commandStarted });
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }
}

const bucketOf = ({ db }: Connection): GridFSBucket =>
  new GridFSBucket(db, { bucketName: BUCKET, chunkSizeBytes: CHUNK_BYTES });

const filesIn = (connection: Connection): Collection<GridFSFile> =>
  connection.collection<GridFSFile>(`${BUCKET}.files`);

const chunksIn = (connection: Connection): Collection<{ readonly files_id: ObjectId }> =>
  connection.collection(`${BUCKET}.chunks`);

const nameOf = (stream: string, stateVersion: number): string => `v${stateVersion}/${stream}`;

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000);
