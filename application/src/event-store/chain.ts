import { createHash } from 'node:crypto';
import { LogCorrupt, type RecordedEvent } from '../ports/event-log.js';

/** The chain value before a stream's first event: 32 zero bytes, in hex. */
export const CHAIN_START = '0'.repeat(64);

/** What a chain value is taken over, besides the value before it. */
export interface ChainLink {
  /** Without the installation's prefix. */
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  /** The metadata's JSON text as stored, without its last member `chain`. */
  readonly metadata: string;
}

const TAIL = /^,"chain":"(?<chain>[0-9a-f]{64})"\}$/;
const TAIL_LENGTH = ',"chain":""}'.length + 64;

/**
 * The chain value of an event, in lower-case hex: SHA-256 over these bytes, one after the other:
 *
 * 1. the previous event's chain value, 32 bytes (zero before the first event);
 * 2. six fields, each as its length in bytes (4 bytes, unsigned, big-endian) and then its bytes:
 *    stream name, UTF-8 | revision, 8 bytes, unsigned, big-endian | id, its 36 characters in lower case |
 *    type, UTF-8 | data as stored | metadata JSON text as stored, UTF-8, without `,"chain":"..."`, with its closing `}`.
 */
export function chainOf(previous: string, link: ChainLink): string {
  const revision = Buffer.alloc(8);
  revision.writeBigUInt64BE(BigInt(link.revision));
  const hash = createHash('sha256').update(Buffer.from(previous, 'hex'));
  const fields = [text(link.stream), revision, text(link.id.toLowerCase()), text(link.type), link.data];
  for (const field of [...fields, text(link.metadata)]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.byteLength);
    hash.update(length).update(field);
  }
  return hash.digest('hex');
}

const text = (value: string): Buffer => Buffer.from(value, 'utf8');

/** The metadata as stored: the chain value becomes the last member. `metadata` is the JSON text of a non-empty object. */
export function withChain(metadata: string, chain: string): string {
  return `${metadata.slice(0, -1)},"chain":"${chain}"}`;
}

/** Parts stored metadata into its text without `chain`, and the chain value; undefined where it does not end so. */
export function splitMetadata(stored: Uint8Array): { metadata: string; chain: string } | undefined {
  const whole = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString('utf8');
  const chain = TAIL.exec(whole.slice(-TAIL_LENGTH))?.groups?.['chain'];
  return chain === undefined ? undefined : { metadata: `${whole.slice(0, -TAIL_LENGTH)}}`, chain };
}

/**
 * Recomputes a recorded event's chain value from the one before it and returns it.
 * `LogCorrupt`, naming stream and revision, where the stored value is another one.
 */
export function verifyChain(previous: string, event: RecordedEvent): string {
  const parts = splitMetadata(event.metadata);
  if (parts === undefined) {
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream} carries no chain value`);
  }
  const { stream, revision, id, type, data } = event;
  if (chainOf(previous, { stream, revision, id, type, data, metadata: parts.metadata }) !== parts.chain) {
    throw new LogCorrupt(`The chain of ${event.stream} is broken at revision ${event.revision}`);
  }
  return parts.chain;
}
