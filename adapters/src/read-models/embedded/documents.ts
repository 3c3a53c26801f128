import { UnwritableDocument, type DocumentKey, type DocumentWrite } from '../port.js';
import type { Environment } from './environment.js';
import { encodeKey, keySpace } from './keys.js';

/** A write whose key and value are ready: nothing can fail once the transaction is open. */
export interface PreparedWrite {
  readonly key: Buffer;
  /** Absent for a removal. */
  readonly json: Buffer | undefined;
}

type Put = Extract<DocumentWrite, { op: 'put' }>;
type Remove = Extract<DocumentWrite, { op: 'remove' }>;

/**
 * Encodes keys and carries out `keep` and `indexedBy`. What they need is read here, before the transaction; the guard on
 * the progress, inside it, says whether anybody has written since.
 */
export function prepareWrites(
  environment: Environment,
  generation: number,
  writes: readonly DocumentWrite[],
): PreparedWrite[] {
  return new Preparation(environment, generation, writes.some(readsBefore)).all(writes);
}

const keeps = (write: Put): boolean => (write.keep?.length ?? 0) > 0;
const readsBefore = (write: DocumentWrite): boolean =>
  write.op === 'put' ? keeps(write) : write.indexedBy !== undefined;

class Preparation {
  readonly #environment: Environment;
  readonly #generation: number;
  readonly #spaces = new Map<string, Buffer>();
  /** What earlier writes of the same transaction leave behind; only where somebody asks. */
  readonly #earlier: Map<string, Buffer | undefined> | undefined;
  readonly #prepared: PreparedWrite[] = [];

  constructor(environment: Environment, generation: number, readsBefore: boolean) {
    this.#environment = environment;
    this.#generation = generation;
    this.#earlier = readsBefore ? new Map() : undefined;
  }

  all(writes: readonly DocumentWrite[]): PreparedWrite[] {
    for (const write of writes) {
      const key = this.#key(write.collection, write.key);
      if (write.op === 'remove') this.#removeIndex(write, key);
      this.#add(key, write.op === 'put' ? valueOf(write, () => this.#stored(key)) : undefined);
    }
    return this.#prepared;
  }

  #key(collection: string, key: DocumentKey): Buffer {
    let space = this.#spaces.get(collection);
    if (space === undefined) this.#spaces.set(collection, (space = keySpace(this.#generation, collection)));
    return encodeKey(space, key);
  }

  #add(key: Buffer, json: Buffer | undefined): void {
    this.#earlier?.set(key.toString('latin1'), json);
    this.#prepared.push({ key, json });
  }

  /** The document as an earlier write of the same transaction leaves it, or as it is stored. */
  #stored(key: Buffer): Buffer | undefined {
    const name = key.toString('latin1');
    return this.#earlier?.has(name) ? this.#earlier.get(name) : this.#environment.documents.get(key);
  }

  #removeIndex({ indexedBy }: Remove, key: Buffer): void {
    if (indexedBy === undefined) return;
    const old = this.#stored(key);
    if (old === undefined) return;
    const text = parseObject(old)[indexedBy.member];
    if (typeof text !== 'string')
      throw new UnwritableDocument('a removed document lacks the member it is indexed by');
    this.#add(this.#key(indexedBy.collection, [...indexedBy.prefix, text]), undefined);
  }
}

function valueOf(write: Put, before: () => Buffer | undefined): Buffer {
  if (keeps(write)) {
    const old = before();
    if (old !== undefined) return merged(write, old);
  }
  const { json } = write;
  // The store reads the bytes from another thread by their address, which shared memory does not give it.
  if (json.buffer instanceof SharedArrayBuffer) return Buffer.from(json);
  return Buffer.isBuffer(json) ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
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
