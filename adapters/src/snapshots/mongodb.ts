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
  asBuffer,
  ReadModelsUnavailable,
  systemClock,
  type Clock,
  type StateSnapshot,
  type StateSnapshots,
} from '@rollcall/application';
import { Connection } from '../read-models/mongodb/connection.js';
import { otherVersionLifetimeMs, sealed, unsealed } from './seal.js';

export interface MongodbSnapshotsOptions {
  readonly url: string;
  readonly clock?: Clock;
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}

const BUCKET = 'snapshots';
const CHUNK_BYTES = 1024 * 1024;

const READ_MS = 10_000;
const WRITE_MS = 120_000;

const maxReadAttempts = 5;

const maxUnfinishedMs = 60 * 60_000;

const maxIdsPerQuery = 1_000;

/** Snapshots as GridFS files, whose entry the driver writes after the chunks. Connects on first use. */
export class MongodbSnapshots implements StateSnapshots {
  readonly #options: MongodbSnapshotsOptions;
  readonly #now: () => number;
  #connection: Promise<Connection> | undefined;
  #sweptAt = -Infinity;
  #isClosed = false;

  constructor(options: MongodbSnapshotsOptions) {
    this.#options = options;
    const { clock = systemClock } = options;
    this.#now = () => clock.now();
  }

  async newest(stream: string, stateVersion: number): Promise<StateSnapshot | 'unusable' | undefined> {
    let before: ObjectId | undefined;
    for (let attempt = 0; attempt < maxReadAttempts; attempt += 1) {
      const file = (await this.#filesOf(stream, stateVersion))[0];
      if (file === undefined) return undefined;
      if (before?.equals(file._id) === true) return 'unusable';
      const bytes = await this.#bytes(file);
      if (bytes !== undefined) return unsealed(file.metadata, bytes, { stream, stateVersion });
      before = file._id;
    }
    return 'unusable';
  }

  /** Deletes only older snapshots, so concurrent puts never delete each other's. */
  async put(snapshot: StateSnapshot): Promise<void> {
    const { stream, stateVersion } = snapshot;
    const replaced = await this.#filesOf(stream, stateVersion);
    await this.#upload(snapshot);
    for (const { _id } of replaced) await this.#remove(_id);
    if (this.#now() - this.#sweptAt > otherVersionLifetimeMs)
      await this.#sweep(stateVersion).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  async #filesOf(stream: string, stateVersion: number): Promise<GridFSFile[]> {
    const filter = { filename: nameOf(stream, stateVersion) };
    const sort = { 'metadata.revision': -1, _id: -1 } as const;
    return this.#ask((connection, maxTimeMS) =>
      bucketOf(connection).find(filter, { sort, maxTimeMS }).toArray(),
    );
  }

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
    const content = asBuffer(bytes);
    try {
      await connection.write((deadline) => deadline.step(() => pipeline(Readable.from([content]), upload)));
    } catch (error) {
      // What it leaves is swept: a connection that hangs must not keep the caller.
      void upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /** Removes the entry first, so that no reader finds half a file. */
  async #remove(id: ObjectId): Promise<void> {
    const connection = await this.#connected();
    await connection.write(async (deadline) => {
      await deadline.step(() => filesIn(connection).deleteOne({ _id: id }));
      await deadline.step(() => chunksIn(connection).deleteMany({ files_id: id }));
    });
  }

  async #sweep(stateVersion: number): Promise<void> {
    this.#sweptAt = this.#now();
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
      if (last === undefined || this.#now() - last.getTimestamp().getTime() < otherVersionLifetimeMs)
        continue;
      for (const { _id } of files) await this.#remove(_id);
    }
  }

  async #removeChunksWithoutFile(): Promise<void> {
    const connection = await this.#connected();
    const old = ObjectId.createFromTime(seconds(this.#now() - maxUnfinishedMs));
    let after = ObjectId.createFromTime(0);
    for (;;) {
      const filter = { files_id: { $gt: after, $lt: old } };
      const options = {
        projection: { _id: 0, files_id: 1 },
        sort: { files_id: 1 },
        limit: maxIdsPerQuery,
      } as const;
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
