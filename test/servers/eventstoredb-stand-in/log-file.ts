import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

/** What is told of an event beside its data and its metadata. */
export interface EventHeader {
  readonly stream: string;
  /** A decimal number; that of `$streamDeleted` does not fit into a JavaScript number. */
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** Units of 100 ns since 1970. */
  readonly created: string;
}

export interface EventToStore extends EventHeader {
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends EventHeader {
  /** Strictly increasing through the whole log: its place in the file, plus what scavenges have skipped. */
  readonly position: number;
  readonly dataAt: number;
  readonly dataLength: number;
  readonly metadataLength: number;
}

/** Where the first event lies in a fresh database of the real server. */
const FIRST_POSITION = 548;
const FRAME_HEAD = 8;
const EVENT_HEAD = 12;
/** A scavenge closes the open chunk: the next event lies so far into the next one. */
const CHUNK_BYTES = 256 * 1024 * 1024;
const INTO_CHUNK = 923;
/** The type of the record that a scavenge leaves; it belongs to no stream. */
const SCAVENGE = 'scavenge';

const dataSynced = promisify(fdatasync);

interface Scavenge {
  /** Where their data lies. */
  readonly removed: readonly number[];
  readonly next: number;
}

/** What a file holds. */
export interface Contents {
  /** In the order of positions. */
  readonly events: StoredEvent[];
  /** Where the data of those lies that a scavenge took. */
  readonly removed: ReadonlySet<number>;
  /** Before this position scavenges have been. */
  readonly scavengedTo: number;
}

/**
 * An append-only file. A frame holds the events of one append and its checksum, so that an append is there whole or not at
 * all: length (4) | CRC-32 (4) | events, each: lengths of header, data, metadata (4 each) | header as JSON | data | metadata.
 */
export class LogFile {
  readonly #file: number;
  #end: number;
  #shift: number;
  /** Before this position scavenges have been. */
  #scavengedTo: number;
  #unwritten: Uint8Array[] = [];

  private constructor(file: number, { end, shift, scavengedTo }: Place) {
    this.#file = file;
    this.#end = end;
    this.#shift = shift;
    this.#scavengedTo = scavengedTo;
  }

  /** Opens or creates the file; a frame that a kill cut off is forgotten. */
  static open(folder: string): Contents & { readonly log: LogFile } {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'events.log');
    const file = openSync(path, existsSync(path) ? 'r+' : 'w+');
    const frames = readFrames(file, { end: FIRST_POSITION - FRAME_HEAD, shift: 0, scavengedTo: 0 });
    ftruncateSync(file, frames.end);
    return { ...frames, log: new LogFile(file, frames) };
  }

  /** Takes a frame; it is durable after `sync`. The bytes of its events are not to change until then. */
  add(events: readonly EventToStore[]): StoredEvent[] {
    let at = this.#end + FRAME_HEAD;
    const stored: StoredEvent[] = [];
    const parts: Uint8Array[] = [];
    for (const { data, metadata, ...header } of events) {
      const head = encodedHead({ data, metadata, ...header });
      stored.push({
        ...header,
        position: at + this.#shift,
        dataAt: at + head.length,
        dataLength: data.length,
        metadataLength: metadata.length,
      });
      parts.push(head, ...[data, metadata].filter((part) => part.length > 0));
      at += head.length + data.length + metadata.length;
    }
    this.#addFrame(parts);
    return stored;
  }

  /** Takes these events away for good, and gives the position from which on nothing was scavenged. */
  scavenge(events: readonly StoredEvent[]): number {
    const position = this.#end + this.#shift;
    const next = (Math.floor(position / CHUNK_BYTES) + 1) * CHUNK_BYTES + INTO_CHUNK;
    const scavenge: Scavenge = { removed: events.map(({ dataAt }) => dataAt), next };
    const event = { ...SCAVENGE_HEADER, data: Buffer.from(JSON.stringify(scavenge)) };
    this.#addFrame([encodedHead(event), event.data]);
    this.#shift = next - this.#end - FRAME_HEAD;
    this.#scavengedTo = next;
    return next;
  }

  #addFrame(parts: readonly Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const head = Buffer.alloc(FRAME_HEAD);
    head.writeUInt32BE(length, 0);
    head.writeUInt32BE(
      parts.reduce((sum, part) => crc32(part, sum), 0),
      4,
    );
    this.#unwritten.push(head, ...parts);
    this.#end += head.length + length;
  }

  /** Everything that was added is on disk. */
  sync(): void {
    if (this.#write()) fdatasyncSync(this.#file);
  }

  /** The same, while others go on. */
  async synced(): Promise<void> {
    if (this.#write()) await dataSynced(this.#file);
  }

  #write(): boolean {
    if (this.#unwritten.length === 0) return false;
    const parts = this.#unwritten;
    this.#unwritten = [];
    let at = this.#end - parts.reduce((sum, part) => sum + part.length, 0);
    for (const bytes of joined(parts)) {
      for (let from = 0; from < bytes.length;)
        from += writeSync(this.#file, bytes, from, bytes.length - from, at + from);
      at += bytes.length;
    }
    return true;
  }

  /** Takes over what another file has behind the end of this one, which is a beginning of it: the same bytes at the same places. */
  copyFrom(other: LogFile): Contents {
    this.sync();
    other.sync();
    const bytes = readAt(other.#file, this.#end, other.#end - this.#end);
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#file, bytes, at, bytes.length - at, this.#end + at);
    const place = { end: this.#end, shift: this.#shift, scavengedTo: this.#scavengedTo };
    const frames = readFrames(this.#file, place);
    this.#end = frames.end;
    this.#shift = frames.shift;
    this.#scavengedTo = frames.scavengedTo;
    return frames;
  }

  body(event: StoredEvent): { readonly data: Uint8Array; readonly metadata: Uint8Array } {
    const bytes = readAt(this.#file, event.dataAt, event.dataLength + event.metadataLength);
    return { data: bytes.subarray(0, event.dataLength), metadata: bytes.subarray(event.dataLength) };
  }

  close(): void {
    closeSync(this.#file);
  }
}

const SCAVENGE_HEADER = {
  ...{ stream: '', revision: '0', id: '', type: SCAVENGE, contentType: '', created: '0' },
  metadata: new Uint8Array(0),
};

/** What stands before the data and the metadata of an event. */
function encodedHead({ data, metadata, ...header }: EventToStore): Buffer {
  const text = JSON.stringify(header);
  const length = Buffer.byteLength(text);
  const head = Buffer.allocUnsafe(EVENT_HEAD + length);
  head.writeUInt32BE(length, 0);
  head.writeUInt32BE(data.length, 4);
  head.writeUInt32BE(metadata.length, 8);
  head.write(text, EVENT_HEAD);
  return head;
}

/** Large parts are written as they are; joining them would only move them. */
const LARGE_PART = 64 * 1024;

function* joined(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  for (const part of parts) {
    if (part.length < LARGE_PART) {
      small.push(part);
      continue;
    }
    yield Buffer.concat(small);
    small = [];
    yield part;
  }
  yield Buffer.concat(small);
}

/** `at` is the place in the file; the position is so much further on. */
function decode(block: Buffer, at: number, shift: number): StoredEvent {
  const headerLength = block.readUInt32BE(0);
  const header = JSON.parse(block.toString('utf8', EVENT_HEAD, EVENT_HEAD + headerLength)) as EventHeader;
  return {
    ...header,
    position: at + shift,
    dataAt: at + EVENT_HEAD + headerLength,
    dataLength: block.readUInt32BE(4),
    metadataLength: block.readUInt32BE(8),
  };
}

function readAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let at = 0;
  for (let read = -1; at < length && read !== 0; at += read)
    read = readSync(file, bytes, at, length - at, from + at);
  return bytes.subarray(0, at);
}

/** How far a file was read. */
interface Place {
  /** Behind the last whole frame. */
  readonly end: number;
  /** How much further on a position is than its place in the file. */
  readonly shift: number;
  readonly scavengedTo: number;
}

interface Frames extends Contents {
  readonly removed: Set<number>;
  end: number;
  shift: number;
  scavengedTo: number;
}

/** All whole frames from a place on. */
function readFrames(file: number, from: Place): Frames {
  const frames: Frames = { ...from, events: [], removed: new Set() };
  for (;;) {
    const head = readAt(file, frames.end, FRAME_HEAD);
    if (head.length < FRAME_HEAD) return frames;
    const body = readAt(file, frames.end + FRAME_HEAD, head.readUInt32BE(0));
    if (body.length < head.readUInt32BE(0) || crc32(body) !== head.readUInt32BE(4)) return frames;
    readFrame(frames, body);
  }
}

function readFrame(frames: Frames, body: Buffer): void {
  const begin = frames.end + FRAME_HEAD;
  frames.end = begin + body.length;
  for (let at = 0; at < body.length;) {
    const event = decode(body.subarray(at), begin + at, frames.shift);
    const dataAt = event.dataAt - begin;
    at = dataAt + event.dataLength + event.metadataLength;
    if (event.stream !== '') frames.events.push(event);
    else applyScavenge(frames, body.subarray(dataAt, at));
  }
}

function applyScavenge(frames: Frames, data: Buffer): void {
  const { removed, next } = JSON.parse(data.toString('utf8')) as Scavenge;
  for (const dataAt of removed) frames.removed.add(dataAt);
  frames.shift = next - frames.end - FRAME_HEAD;
  frames.scavengedTo = next;
}
