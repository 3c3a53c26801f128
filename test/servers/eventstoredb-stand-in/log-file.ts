import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
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
  /** Its place in the file: strictly increasing through the whole log. */
  readonly position: number;
  readonly dataAt: number;
  readonly dataLength: number;
  readonly metadataLength: number;
}

/** Where the first event lies in a fresh database of the real server. */
const FIRST_POSITION = 548;
const FRAME_HEAD = 8;
const EVENT_HEAD = 12;

/**
 * An append-only file. A frame holds the events of one append and its checksum, so that an append is there whole or not at
 * all: length (4) | CRC-32 (4) | events, each: lengths of header, data, metadata (4 each) | header as JSON | data | metadata.
 */
export class LogFile {
  readonly #file: number;
  #end: number;
  #unwritten: Buffer[] = [];

  private constructor(file: number, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** Opens or creates the file; a frame that a kill cut off is forgotten. */
  static open(folder: string): { readonly log: LogFile; readonly events: StoredEvent[] } {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'events.log');
    const file = openSync(path, existsSync(path) ? 'r+' : 'w+');
    const events: StoredEvent[] = [];
    const end = readFrames(file, FIRST_POSITION - FRAME_HEAD, events);
    ftruncateSync(file, end);
    return { log: new LogFile(file, end), events };
  }

  /** Takes a frame; it is durable after `sync`. */
  add(events: readonly EventToStore[]): StoredEvent[] {
    const stored: StoredEvent[] = [];
    const blocks = events.map((event) => encode(event));
    let position = this.#end + FRAME_HEAD;
    for (const [index, block] of blocks.entries()) {
      const event = events[index];
      if (event !== undefined) stored.push(decode(block, position));
      position += block.length;
    }
    const body = Buffer.concat(blocks);
    const head = Buffer.alloc(FRAME_HEAD);
    head.writeUInt32BE(body.length, 0);
    head.writeUInt32BE(crc32(body), 4);
    this.#unwritten.push(head, body);
    this.#end = position;
    return stored;
  }

  /** Everything that was added is on disk. */
  sync(): void {
    if (this.#unwritten.length === 0) return;
    const bytes = Buffer.concat(this.#unwritten);
    this.#unwritten = [];
    const from = this.#end - bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at, bytes.length - at, from + at);
    fdatasyncSync(this.#file);
  }

  /** Takes over what another file has behind the end of this one, which is a beginning of it: the same bytes at the same places. */
  copyFrom(other: LogFile): StoredEvent[] {
    this.sync();
    other.sync();
    const bytes = readAt(other.#file, this.#end, other.#end - this.#end);
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#file, bytes, at, bytes.length - at, this.#end + at);
    const events: StoredEvent[] = [];
    this.#end = readFrames(this.#file, this.#end, events);
    return events;
  }

  body(event: StoredEvent): { readonly data: Uint8Array; readonly metadata: Uint8Array } {
    const bytes = readAt(this.#file, event.dataAt, event.dataLength + event.metadataLength);
    return { data: bytes.subarray(0, event.dataLength), metadata: bytes.subarray(event.dataLength) };
  }

  close(): void {
    closeSync(this.#file);
  }
}

function encode({ data, metadata, ...header }: EventToStore): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(EVENT_HEAD);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(data.length, 4);
  lengths.writeUInt32BE(metadata.length, 8);
  return Buffer.concat([lengths, text, data, metadata]);
}

function decode(block: Buffer, position: number): StoredEvent {
  const headerLength = block.readUInt32BE(0);
  const header = JSON.parse(block.toString('utf8', EVENT_HEAD, EVENT_HEAD + headerLength)) as EventHeader;
  const dataAt = position + EVENT_HEAD + headerLength;
  return {
    ...header,
    position,
    dataAt,
    dataLength: block.readUInt32BE(4),
    metadataLength: block.readUInt32BE(8),
  };
}

const lengthOf = (event: StoredEvent): number =>
  event.dataAt + event.dataLength + event.metadataLength - event.position;

function readAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let at = 0;
  for (let read = -1; at < length && read !== 0; at += read)
    read = readSync(file, bytes, at, length - at, from + at);
  return bytes.subarray(0, at);
}

/** Collects the events of all whole frames from a place on; the place behind the last of them. */
function readFrames(file: number, from: number, events: StoredEvent[]): number {
  let end = from;
  for (;;) {
    const head = readAt(file, end, FRAME_HEAD);
    if (head.length < FRAME_HEAD) return end;
    const body = readAt(file, end + FRAME_HEAD, head.readUInt32BE(0));
    if (body.length < head.readUInt32BE(0) || crc32(body) !== head.readUInt32BE(4)) return end;
    for (let at = 0; at < body.length;) {
      const event = decode(body.subarray(at), end + FRAME_HEAD + at);
      events.push(event);
      at += lengthOf(event);
    }
    end += FRAME_HEAD + body.length;
  }
}
