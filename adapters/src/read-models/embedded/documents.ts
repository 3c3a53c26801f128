import type { DocumentKey, DocumentWrite } from '@rollcall/application';
import { entryKey, isWanted, readsBefore, withKept, type Put, type Remove } from '../stored-members.js';
import type { Environment } from './environment.js';
import { encodeKey, keySpace } from './keys.js';

/** A write whose key and value are ready: nothing can fail once the transaction is open. */
export interface PreparedWrite {
  readonly key: Buffer;
  /** Absent for a removal. */
  readonly json: Buffer | undefined;
}

/**
 * Encodes keys and carries out `keep`, `ifStored`, `unless` and `indexedBy`. What they need is read here, before the transaction;
 * the guard on the progress, inside it, says whether anybody has written since.
 */
export function prepareWrites(
  environment: Environment,
  generation: number,
  writes: readonly DocumentWrite[],
): PreparedWrite[] {
  return new Preparation(environment, generation, writes.some(readsBefore)).all(writes);
}

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
      if (write.op === 'put') this.#put(write, key);
      else this.#remove(write, key);
    }
    return this.#prepared;
  }

  #key(collection: string, key: DocumentKey): Buffer {
    let space = this.#spaces.get(collection);
    if (space === undefined) this.#spaces.set(collection, (space = keySpace(this.#generation, collection)));
    return encodeKey(space, key);
  }

  #put(write: Put, key: Buffer): void {
    if (this.#isForbidden(write)) return;
    const old = readsBefore(write) ? this.#stored(key) : undefined;
    if (!isWanted(write, old)) return;
    this.#removeEntry(write, old);
    this.#add(key, valueOf(write, old));
  }

  #remove(write: Remove, key: Buffer): void {
    if (write.indexedBy !== undefined) this.#removeEntry(write, this.#stored(key));
    this.#add(key, undefined);
  }

  /** By what was stored before all writes of the transaction. */
  #isForbidden({ unless }: Put): boolean {
    if (unless === undefined) return false;
    return this.#environment.documents.get(this.#key(unless.collection, unless.key)) !== undefined;
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

  #removeEntry({ indexedBy }: DocumentWrite, old: Buffer | undefined): void {
    if (indexedBy === undefined || old === undefined) return;
    this.#add(this.#key(indexedBy.collection, entryKey(old, indexedBy)), undefined);
  }
}

function valueOf(write: Put, old: Buffer | undefined): Buffer {
  const json = withKept(write, old);
  // The store reads the bytes from another thread by their address, which shared memory does not give it.
  if (json.buffer instanceof SharedArrayBuffer) return Buffer.from(json);
  return Buffer.isBuffer(json) ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}
