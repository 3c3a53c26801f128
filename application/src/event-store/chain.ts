import { createHash } from 'node:crypto';
import { LogCorrupt, type RecordedEvent } from '../ports/event-log.js';

/** The chain value before a stream's first event: 32 zero bytes, in hex. */
export const CHAIN_START = '0'.repeat(64);

export interface ChainLink {
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
 * An event's chain value, in lower-case hex: SHA-256 over the previous one's (32 bytes, zero at first), then six fields,
 * each as its length (4 bytes, unsigned, big-endian) and its bytes: stream name, UTF-8 | revision, 8 bytes, unsigned,
 * big-endian | id, its 36 characters in lower case | type, UTF-8 | data as stored | metadata JSON text as stored, UTF-8,
 * without `,"chain":"..."`, with its closing `}`.
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

/** `metadata` is the JSON text of a non-empty object: the chain value becomes its last member. */
export function withChain(metadata: string, chain: string): string {
  return `${metadata.slice(0, -1)},"chain":"${chain}"}`;
}

/** Stored metadata without `chain`, and the chain value; undefined where the last member is not `chain`. */
export function splitMetadata(stored: Uint8Array): { metadata: string; chain: string } | undefined {
  const whole = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString('utf8');
  const chain = TAIL.exec(whole.slice(-TAIL_LENGTH))?.groups?.['chain'];
  return chain === undefined ? undefined : { metadata: `${whole.slice(0, -TAIL_LENGTH)}}`, chain };
}

/** Recomputes and returns the chain value. `LogCorrupt`, naming stream and revision, where the stored one differs. */
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
