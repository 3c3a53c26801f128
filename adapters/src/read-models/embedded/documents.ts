import { UnwritableDocument, type DocumentWrite } from '../port.js';
import type { Environment } from './environment.js';
import { encodeKey, keySpace } from './keys.js';

/** A write whose key and value are ready: nothing can fail once the transaction is open. */
export interface PreparedWrite {
  readonly key: Buffer;
  /** Absent for a removal. */
  readonly json: Buffer | undefined;
}

type Put = Extract<DocumentWrite, { op: 'put' }>;

/**
 * Encodes keys and carries out `keep`. What is kept is read here, before the transaction; the guard on the progress,
 * inside it, says whether anybody has written since.
 */
export function prepareWrites(
  environment: Environment,
  generation: number,
  writes: readonly DocumentWrite[],
): PreparedWrite[] {
  const spaces = new Map<string, Buffer>();
  const earlier = writes.some((write) => write.op === 'put' && keeps(write))
    ? new Map<string, Buffer | undefined>()
    : undefined;
  return writes.map((write) => {
    let space = spaces.get(write.collection);
    if (space === undefined) spaces.set(write.collection, (space = keySpace(generation, write.collection)));
    const key = encodeKey(space, write.key);
    const json = write.op === 'put' ? valueOf(write, () => stored(environment, key, earlier)) : undefined;
    earlier?.set(key.toString('latin1'), json);
    return { key, json };
  });
}

const keeps = (write: Put): boolean => (write.keep?.length ?? 0) > 0;

/** The document as an earlier write of the same transaction leaves it, or as it is stored. */
function stored(
  environment: Environment,
  key: Buffer,
  earlier: Map<string, Buffer | undefined> | undefined,
): Buffer | undefined {
  const name = key.toString('latin1');
  return earlier?.has(name) ? earlier.get(name) : environment.documents.get(key);
}

function valueOf(write: Put, before: () => Buffer | undefined): Buffer {
  if (keeps(write)) {
    const old = before();
    if (old !== undefined) return merged(write, old);
  }
  const { json } = write;
  // The store reads the bytes from another thread by their address, which shared memory does not give it.
  if (json.buffer instanceof SharedArrayBuffer) return Buffer.from(json);
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

function merged(write: Put, old: Buffer): Buffer {
  const members = new Map(Object.entries(parseObject(write.json)));
  const kept = parseObject(old);
  for (const name of write.keep ?? []) if (Object.hasOwn(kept, name)) members.set(name, kept[name]);
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

function parseObject(json: Uint8Array): Record<string, unknown> {
  const value = parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value));
  throw new UnwritableDocument('only a document that is a JSON object can keep members');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
