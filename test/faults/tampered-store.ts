import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';

/** An event as the embedded log stores it. */
export interface StoredEvent {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly isChunk: boolean;
}

interface Layout {
  readonly stream: string;
  readonly revision: number;
  readonly metadataAt: number;
  readonly dataAt: number;
}

/** kind (1) | id (16) | revision (6) | stream (2 + n) | type (2 + n) | metadata (4 + n) | data. */
function layoutOf(record: Buffer): Layout {
  const typeAt = 25 + record.readUInt16BE(23);
  const metadataAt = typeAt + 2 + record.readUInt16BE(typeAt) + 4;
  const dataAt = metadataAt + record.readUInt32BE(metadataAt - 4);
  return {
    stream: record.toString('utf8', 25, typeAt),
    revision: record.readUIntBE(17, 6),
    metadataAt,
    dataAt,
  };
}

/** Another digit or letter in place of one: the text stays a text. */
function flip(bytes: Buffer, from: number, to: number, at: number): void {
  for (let tried = 0; tried < to - from; tried += 1) {
    const here = from + ((at + tried) % (to - from));
    const byte = bytes[here] ?? 0;
    if (/[0-9a-zA-Z]/.test(String.fromCharCode(byte))) return void (bytes[here] = byte ^ 1);
  }
}

/** The file of an embedded log, changed by someone who knows how it is made. */
export class TamperedStore {
  readonly #root: RootDatabase<Buffer, string>;
  readonly #events: Database<Buffer, number>;
  readonly #chunks: Database<Buffer, number>;
  readonly #streams: Database<Buffer, string>;
  readonly #revisions: Database<Buffer, [string, number]>;
  readonly #meta: Database<Buffer, string>;

  private constructor(folder: string) {
    this.#root = open<Buffer, string>({ path: folder, maxDbs: 8, encoding: 'binary', noSync: true });
    const database = <K extends string | number | [string, number]>(name: string): Database<Buffer, K> =>
      this.#root.openDB<Buffer, K>({ name, encoding: 'binary' });
    this.#events = database('events');
    this.#chunks = database('pieces');
    this.#streams = database('streams');
    this.#revisions = database('revisions');
    this.#meta = database('meta');
  }

  static async copyOf(folder: string, to: string): Promise<TamperedStore> {
    await mkdir(to, { recursive: true });
    await copyFile(join(folder, 'data.mdb'), join(to, 'data.mdb'));
    return new TamperedStore(to);
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  events(): StoredEvent[] {
    return [...this.#events.getRange()].flatMap(({ key, value }) => {
      if (value[0] === 2) return [];
      const { stream, revision } = layoutOf(value);
      return [{ position: key, stream, revision, isChunk: value[0] === 1 }];
    });
  }

  bendData({ position }: StoredEvent, at: number): void {
    const record = this.#record(position);
    const { dataAt } = layoutOf(record);
    flip(record, dataAt, record.length, at);
    this.#events.putSync(position, record);
  }

  bendMetadata({ position }: StoredEvent, at: number): void {
    const record = this.#record(position);
    const { metadataAt, dataAt } = layoutOf(record);
    flip(record, metadataAt, dataAt, at);
    this.#events.putSync(position, record);
  }

  bendChunk({ position }: StoredEvent, at: number): void {
    const chunk = Buffer.from(this.#chunks.get(position) ?? []);
    chunk[at % chunk.length] = (chunk[at % chunk.length] ?? 0) ^ (1 << (at % 8));
    this.#chunks.putSync(position, chunk);
  }

  /** A year earlier. */
  redate({ position }: StoredEvent): void {
    const record = this.#record(position);
    const { metadataAt, dataAt } = layoutOf(record);
    const metadata = record.toString('utf8', metadataAt, dataAt);
    record.write(metadata.replace(/"recordedAt":"2026/, '"recordedAt":"2025'), metadataAt);
    this.#events.putSync(position, record);
  }

  /** As if it had never been; the stream's end moves where it was the last. */
  remove({ position, stream, revision }: StoredEvent): void {
    this.#events.removeSync(position);
    this.#chunks.removeSync(position);
    this.#revisions.removeSync([stream, revision]);
    const line = Buffer.from(this.#streams.get(stream) ?? Buffer.alloc(13));
    if (line.readUIntBE(1, 6) !== revision) return;
    if (revision === 0) return void this.#streams.removeSync(stream);
    line.writeUIntBE(revision - 1, 1, 6);
    this.#streams.putSync(stream, line);
  }

  swap(one: StoredEvent, other: StoredEvent): void {
    const [first, second] = [this.#record(one.position), this.#record(other.position)];
    this.#events.putSync(one.position, second);
    this.#events.putSync(other.position, first);
  }

  /** The same event once more, at the log's end. */
  repeat({ position }: StoredEvent): void {
    const last = this.#meta.get('position')?.readUIntBE(0, 6) ?? 0;
    this.#events.putSync(last + 1, this.#record(position));
    this.#end(last + 1);
  }

  cutTail(events: readonly StoredEvent[]): void {
    for (const event of [...events].reverse()) this.remove(event);
    this.#end((events[0]?.position ?? 1) - 1);
  }

  #end(position: number): void {
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(position, 0, 6);
    this.#meta.putSync('position', bytes);
  }

  #record(position: number): Buffer {
    return Buffer.from(this.#events.get(position) ?? []);
  }
}
