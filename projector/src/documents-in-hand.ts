import {
  fromJson,
  groupedBy,
  releaseMemory,
  toJson,
  type DocumentKey,
  type DocumentWrite,
  type Later,
  type NewestDocument,
  type ReadModelReader,
  type ReadModelWriter,
  ReadModelsLate,
} from '@rollcall/application/read';
import {
  BlockMemory,
  stageOf,
  stages,
  textOf,
  writeOf,
  type DocumentPlace,
  type GroupedChange,
  type LaterChange,
} from './document-changes.js';

type Store = Pick<ReadModelWriter, 'newest' | 'write'> & Pick<ReadModelReader, 'getMany'>;

/** What is stored, or will be; without a revision nothing is. */
interface Held extends NewestDocument {
  /** Absent where it was only read. */
  readonly write?: DocumentWrite;
  /** Freed once the document is written. */
  readonly memory?: ArrayBuffer | undefined;
}

interface Stage {
  readonly writes: DocumentWrite[];
  readonly later: LaterChange[];
  readonly memory: ArrayBuffer[];
}

type Place = Pick<DocumentWrite, 'collection' | 'key' | 'revision'>;
type Deletion = Extract<DocumentWrite, { op: 'delete-to' }> & { readonly from: number };

interface WriteBatch {
  readonly batch: DocumentWrite[][];
  readonly isLast: boolean;
}

/** Later changes that are read for at once, and bytes written at once. */
const READ_TOGETHER = 64;
const maxWriteBytes = 4 * 1024 * 1024;

const nothing: NewestDocument = { revision: -1, value: undefined };

/** Unit of work: reads and writes each document of a batch once. Flushes early, in the order of stages, to bound memory. */
export class DocumentsInHand {
  readonly #store: Store;
  readonly #mostBytes: number;
  readonly #held = new Map<string, Held>();
  readonly #later = new Map<string, LaterChange>();
  /** Encoded when they are written. */
  readonly #objects = new Map<string, Place & { readonly document: object }>();
  readonly #deletions = new Map<string, Deletion[]>();
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  /** From `mostBytes` on, held documents are written while more are made. */
  constructor(store: Store, mostBytes: number) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** At once where it is held. Another document is read and not kept. */
  read(collection: string, key: DocumentKey): NewestDocument | Promise<NewestDocument> {
    const held = this.#held.get(textOf(collection, key));
    return held ?? this.#newest(collection, [key]).then(([found]) => found ?? nothing);
  }

  async #fetch(collection: string, places: readonly DocumentPlace[]): Promise<void> {
    const keys = places.map(({ key }) => key);
    const found = await this.#newest(collection, keys);
    for (const [at, { text }] of places.entries()) this.#held.set(text, found[at] ?? nothing);
  }

  /** A JSON document that most events of a batch change: see `setObject`. */
  readObject(collection: string, key: DocumentKey): unknown {
    const held = this.#objects.get(textOf(collection, key));
    if (held !== undefined) return held.document;
    const found = this.read(collection, key);
    return found instanceof Promise ? found.then(({ value }) => fromJson(value)) : fromJson(found.value);
  }

  /** Read by `readObject` only. `bytes`: about those of its JSON. */
  setObject(place: Place, document: object, bytes: number): void {
    const text = textOf(place.collection, place.key);
    if (!this.#objects.has(text)) this.#bytes += bytes;
    this.#objects.set(text, { ...place, document });
  }

  /** Written after the held sets; until then the documents can be read. */
  delete(deletion: Deletion): void {
    const text = textOf(deletion.collection, deletion.key.slice(0, -1));
    this.#deletions.set(text, join(this.#deletions.get(text) ?? [], deletion));
  }

  async #newest(
    collection: string,
    keys: readonly DocumentKey[],
  ): Promise<readonly (NewestDocument | undefined)[]> {
    await this.#writing;
    return inHalves(keys, (some) => this.#store.newest(collection, some));
  }

  /** Loads the documents of many changes, with one query per collection. */
  prepare(places: readonly DocumentPlace[]): Later {
    const unknown = new Map<string, DocumentPlace>();
    for (const place of places) if (!this.#held.has(place.text)) unknown.set(place.text, place);
    if (unknown.size === 0) return undefined;
    const byCollection = groupedBy(unknown.values(), ({ collection }) => collection);
    const fetched = [...byCollection].map(([name, own]) => this.#fetch(name, own));
    return Promise.all(fetched).then(() => undefined);
  }

  /** Applies one event's changes to loaded documents: all, or none where one fails. */
  apply(changes: readonly GroupedChange[], revision: number): undefined {
    const writes: (readonly [string, DocumentWrite])[] = [];
    for (const { collection, key, text, evolve } of changes) {
      const current = this.#held.get(text) ?? nothing;
      if (current.revision >= revision) continue;
      const evolved = evolve(current.value);
      // All earlier events of the stream are applied: what they have not put, nobody puts later.
      const needsNone = evolved === 'removed' && current.revision < 0;
      if (evolved !== undefined && !needsNone)
        writes.push([text, writeOf({ collection, key, revision }, evolved)]);
    }
    for (const [text, write] of writes) this.#hold(text, write);
  }

  /** Overwrites the held document, which the caller knows to be older. `memory` is freed once this one is written. */
  set(write: DocumentWrite, memory?: ArrayBuffer): void {
    this.#hold(textOf(write.collection, write.key), write, memory);
  }

  #hold(text: string, write: DocumentWrite, memory?: ArrayBuffer): void {
    const value = valueOf(write);
    const before = this.#held.get(text);
    this.#held.set(text, { revision: write.revision, value, write, memory });
    this.#bytes += bytesOf(value) - bytesOf(before?.write && valueOf(before.write));
  }

  /** Applied at once where its documents are held: none of them is stored yet. */
  changeLater(change: LaterChange): void {
    const held = change.keys.flatMap((key) => this.#held.get(textOf(change.collection, key)) ?? []);
    if (held.length > 0 && held.length === change.keys.length) {
      for (const write of change.writes(held.map(({ value }) => value))) this.set(write);
      return;
    }
    const before = this.#later.get(change.name);
    if (before === undefined) this.#later.set(change.name, change);
    else before.add(change);
    this.#bytes += change.bytes;
  }

  /** Call it while an event is read. Flushes when much is held: it may become visible before the rest. */
  makeRoom(mostBytes = this.#mostBytes): Later {
    return this.#bytes < mostBytes ? undefined : this.#flush();
  }

  async #flush(): Promise<void> {
    const taken = this.#take();
    await this.#writing;
    this.#writing = this.#write(taken);
    // The next call reports the failure.
    this.#writing.catch(() => undefined);
  }

  /** Flushes everything, the rest by `last`. Resolves when it is stored. */
  async finish(last?: Store['write']): Promise<void> {
    await this.#writing;
    await this.#write(this.#take(), last);
  }

  /** Resolves when no write is in flight, also after a failure. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  #take(): Stage[] {
    const taken: Stage[] = [];
    const at = (stage: number): Stage => (taken[stage] ??= { writes: [], later: [], memory: [] });
    for (const { write, memory } of this.#held.values()) {
      if (write === undefined) continue;
      at(stageOf(write)).writes.push(write);
      if (memory !== undefined) at(stageOf(write)).memory.push(memory);
    }
    for (const { document, ...place } of this.#objects.values())
      at(stageOf(place)).writes.push(writeOf(place, { value: toJson(document) }));
    at(stages.documents).later.push(...this.#later.values());
    at(stages.behindSets).writes.push(...[...this.#deletions.values()].flat());
    this.#held.clear();
    this.#later.clear();
    this.#objects.clear();
    this.#deletions.clear();
    this.#bytes = 0;
    return taken.filter(Boolean);
  }

  async #write(stages: readonly Stage[], last?: Store['write']): Promise<void> {
    let writing: Promise<void> = Promise.resolve();
    const memory = new BlockMemory();
    try {
      for await (const { batch, isLast } of this.#batches(stages, memory)) {
        const some = batch.filter(({ length }) => length > 0);
        const write: Store['write'] = (isLast ? last : undefined) ?? ((each) => this.#store.write(each));
        await writing;
        memory.goesToStore();
        if (some.length > 0) writing = write(some);
        writing.catch(() => undefined);
      }
      await writing;
      memory.release();
      for (const stage of stages) stage.memory.forEach(releaseMemory);
    } finally {
      await writing;
    }
  }

  /** In the order of stages; everything at once where few later changes are held. */
  async *#batches(stages: readonly Stage[], memory: BlockMemory): AsyncGenerator<WriteBatch> {
    let batch: DocumentWrite[][] = [];
    let bytes = 0;
    for (const { writes, later } of stages) {
      batch.push(writes);
      for (let from = 0; from < later.length; from += READ_TOGETHER) {
        const changed = await this.#changed(later.slice(from, from + READ_TOGETHER), memory);
        batch.at(-1)?.push(...changed);
        bytes += changed.reduce((sum, write) => sum + bytesOf(valueOf(write)), 0);
        if (bytes < maxWriteBytes) continue;
        yield { batch, isLast: false };
        [batch, bytes] = [[[]], 0];
      }
    }
    yield { batch, isLast: true };
  }

  async #changed(changes: readonly LaterChange[], memory: BlockMemory): Promise<DocumentWrite[]> {
    memory.forgetCopies();
    const isMany = changes.length >= READ_TOGETHER;
    const copied = (value?: Uint8Array) => value && (isMany ? memory.copy(value) : Buffer.from(value));
    const writes: DocumentWrite[] = [];
    for (const [collection, own] of groupedBy(changes, (one) => one.collection)) {
      const keys = own.flatMap((one) => one.keys);
      const read = (some: readonly DocumentKey[]) => this.#store.getMany(collection, some, copied);
      const found = (await inHalves(keys, read)).values();
      for (const one of own) {
        const stored = one.keys.map(() => found.next().value);
        writes.push(...one.writes(stored));
      }
    }
    memory.filled(writes);
    return writes;
  }
}

const valueOf = (write: DocumentWrite): Uint8Array | undefined =>
  write.op === 'put' ? write.value : undefined;

const bytesOf = (value: Uint8Array | undefined): number => value?.length ?? 0;

/** The last one reaches further where the next one begins there. */
function join(all: Deletion[], next: Deletion): Deletion[] {
  const last = all.at(-1);
  const [end, nextEnd] = [last, next].map((one) => Number(one?.key.at(-1))) as [number, number];
  const meets = last !== undefined && next.from <= end + 1 && nextEnd >= end;
  if (meets) all.pop();
  all.push(meets ? { ...next, from: Math.min(last.from, next.from) } : next);
  return all;
}

/** After a timeout asks for one key, which tells a slow store from a hung one, then for each half of the rest. */
export async function inHalves<T>(
  keys: readonly DocumentKey[],
  read: (keys: readonly DocumentKey[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await read(keys);
  } catch (error) {
    if (!(error instanceof ReadModelsLate) || keys.length < 2) throw error;
  }
  const middle = (keys.length >> 1) + 1;
  const parts = [keys.slice(0, 1), keys.slice(1, middle), keys.slice(middle)].filter(
    ({ length }) => length > 0,
  );
  const found: T[] = [];
  for (const part of parts) found.push(...(await inHalves(part, read)));
  return found;
}
