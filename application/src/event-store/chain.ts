import { hash } from 'node:crypto';
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
  readonly metadata: string | Uint8Array;
}

const TAIL = /^,"chain":"[0-9a-f]{64}"\}$/;
const TAIL_LENGTH = ',"chain":""}'.length + 64;

/** Reused: what is hashed is joined here, because one call is cheaper than an update for each field. */
let joined = Buffer.alloc(0);

/**
 * An event's chain value, in lower-case hex: SHA-256 over the previous one's (32 bytes, zero at first), then six fields,
 * each as its length (4 bytes, unsigned, big-endian) and its bytes: stream name, UTF-8 | revision, 8 bytes, unsigned,
 * big-endian | id, its 36 characters in lower case | type, UTF-8 | data as stored | metadata JSON text as stored, UTF-8,
 * without `,"chain":"..."`, with its closing `}`.
 */
export function chainOf(previous: string, { revision, id, ...link }: ChainLink): string {
  const number = Buffer.alloc(8);
  number.writeUIntBE(revision, 2, 6);
  const fields = [link.stream, number, id.toLowerCase(), link.type, link.data, link.metadata];
  const most = fields.reduce((sum, field) => sum + 4 + 3 * field.length, previous.length);
  if (most > joined.length) joined = Buffer.allocUnsafeSlow(most);
  let at = joined.write(previous, 'hex');
  for (const field of fields) at += putField(field, at);
  return hash('sha256', joined.subarray(0, at), 'hex');
}

function putField(field: string | Uint8Array, at: number): number {
  const start = at + 4;
  if (typeof field !== 'string') joined.set(field, start);
  const length = typeof field === 'string' ? joined.write(field, start) : field.length;
  joined.writeUInt32BE(length, at);
  return 4 + length;
}

/** `metadata` is the JSON text of a non-empty object: the chain value becomes its last member. */
export function withChain(metadata: string, chain: string): string {
  return `${metadata.slice(0, -1)},"chain":"${chain}"}`;
}

/** The chain value that is stored; undefined where the last member is not `chain`. */
export function storedChain(metadata: Uint8Array): string | undefined {
  const tail = metadata.subarray(Math.max(0, metadata.length - TAIL_LENGTH));
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.length).toString('latin1');
  return TAIL.test(text) ? text.slice(-64 - '"}'.length, -'"}'.length) : undefined;
}

/** Stored metadata without `chain`, and the chain value; undefined where the last member is not `chain`. */
export function splitMetadata(stored: Uint8Array): { metadata: Uint8Array; chain: string } | undefined {
  const chain = storedChain(stored);
  if (chain === undefined) return undefined;
  const metadata = Buffer.from(stored.subarray(0, 1 - TAIL_LENGTH));
  metadata.write('}', metadata.length - 1);
  return { metadata, chain };
}

/** Recomputes and returns the chain value. `LogCorrupt`, naming stream and revision, where the stored one differs. */
export function verifyChain(previous: string, event: RecordedEvent): string {
  const { stream, revision } = event;
  const parts = splitMetadata(event.metadata);
  if (parts === undefined)
    throw new LogCorrupt(`The event at revision ${revision} of ${stream} carries no chain value`);
  if (chainOf(previous, { ...event, metadata: parts.metadata }) !== parts.chain)
    throw new LogCorrupt(`The chain of ${stream} is broken at revision ${revision}`);
  return parts.chain;
}
