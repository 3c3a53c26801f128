import {
  blocksCollection,
  groupedBy,
  type DocumentKey,
  type DocumentWrite,
  type NewestDocument,
  type ReadModelWriter,
} from '@rollcall/application/read';
import { BlockMemory } from './block-memory.js';
import { stageOf, writeOf, type GroupedChange } from './document-changes.js';
import {
  bytesOfRows,
  changedBlock,
  type LaterBlock,
  type LaterRows,
  stageOfBlock,
  writesOfBlock,
} from './projections/later-rows.js';

type Store = Pick<ReadModelWriter, 'newest' | 'write'>;

/** What is stored, or will be. Without a revision nothing is. */
interface Held extends NewestDocument {
  /** Absent where it was only read. */
  readonly write?: DocumentWrite;
  readonly stage: number;
  readonly free?: (() => void) | undefined;
}

/** What is to be written in one stage. */
interface Stage {
  readonly writes: DocumentWrite[];
  readonly blocks: LaterBlock[];
}

/** What is written together. */
interface WriteBatch {
  readonly batch: DocumentWrite[][];
  readonly isLast: boolean;
}

/** So many blocks are read at a time for rows that change in them, and so many bytes of them written. */
const READ_TOGETHER = 64;
const WRITTEN_BYTES = 4 * 1024 * 1024;

const nothing: NewestDocument = { revision: -1, value: undefined };

const keyOf = (collection: string, key: DocumentKey): string => `${collection}\0${key.join('\0')}`;

/**
 * Documents between the store and the events that change them: of a batch of small events each is read once and written once,
 * however many of them change it. What is much is written early, in the order of stages, and not in hand any more.
 */
export class DocumentsInHand {
  readonly #store: Store;
  readonly #mostBytes: number;
  readonly #held = new Map<string, Held>();
  readonly #blocks = new Map<string, LaterBlock>();
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  /** From `mostBytes` on, what is in hand goes to the store while more is made. */
  constructor(store: Store, mostBytes: number) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** In the order of the keys; the store is asked once for those that are not in hand, and they are not kept. */
  async read(collection: string, keys: readonly DocumentKey[]): Promise<readonly NewestDocument[]> {
    const held = keys.map((key) => this.#held.get(keyOf(collection, key)));
    const unknown = keys.filter((_, at) => held[at] === undefined);
    const found = (await this.#newest(collection, unknown)).values();
    return held.map((one, at) => {
      const later = this.#blocks.get(keyOf(collection, keys[at] ?? [])) ?? [];
      return changedBlock(one ?? found.next().value ?? nothing, later);
    });
  }

  async #fetch(collection: string, keys: readonly DocumentKey[]): Promise<void> {
    const unknown = keys.filter((key) => !this.#held.has(keyOf(collection, key)));
    const found = await this.#newest(collection, unknown);
    for (const [at, key] of unknown.entries())
      this.#held.set(keyOf(collection, key), { ...(found[at] ?? nothing), stage: 0 });
  }

  /** Not in the store yet. */
  isToBeWritten(collection: string, key: DocumentKey): boolean {
    return this.#held.get(keyOf(collection, key))?.write !== undefined;
  }

  async #newest(
    collection: string,
    keys: readonly DocumentKey[],
  ): Promise<readonly (NewestDocument | undefined)[]> {
    if (keys.length === 0) return [];
    await this.#writing;
    return this.#store.newest(collection, keys);
  }

  /** Reads for many changes what is not in hand, with one question for each collection. */
  async prepare(changes: readonly GroupedChange[]): Promise<void> {
    const byCollection = groupedBy(changes, ({ collection }) => collection);
    await Promise.all(
      [...byCollection].map(([name, own]) =>
        this.#fetch(
          name,
          own.map(({ key }) => key),
        ),
      ),
    );
  }

  /** Applies the changes of one event, whose documents are in hand: all of them, or none where one fails. */
  apply(changes: readonly GroupedChange[], revision: number): void {
    const writes: DocumentWrite[] = [];
    for (const { collection, key, evolve } of changes) {
      const current = this.#held.get(keyOf(collection, key)) ?? nothing;
      if (current.revision >= revision) continue;
      const evolved = evolve(current.value);
      if (evolved !== undefined) writes.push(writeOf({ collection, key, revision }, evolved));
    }
    for (const write of writes) this.set(write);
  }

  /**
   * What is in hand of it is not looked at: the caller knows that it is older. `free` is called when a large event's document
   * is written: its memory may be used again.
   */
  set(write: DocumentWrite, stage = stageOf(write), free?: () => void): void {
    const value = valueOf(write);
    const text = keyOf(write.collection, write.key);
    const before = this.#held.get(text);
    const latest = Math.max(stage, before?.write === undefined ? 0 : before.stage);
    this.#held.set(text, { revision: write.revision, value, write, stage: latest, free });
    this.#bytes += bytesOf(value) - bytesOf(before?.write && valueOf(before.write));
  }

  /** Rows that change in a block when it is written. One that is held, whole, changes at once. */
  changeRows(change: LaterRows): void {
    const text = keyOf(blocksCollection, change.key);
    const held = this.#held.get(text);
    if (held !== undefined) {
      for (const write of writesOfBlock(held, [change])) this.set(write, change.stage);
      return;
    }
    const before = this.#blocks.get(text);
    this.#blocks.set(text, before === undefined ? [change] : [...before, change]);
    this.#bytes += bytesOfRows(change);
  }

  /** To be called while an event is read. Writes what is in hand where it is much: all of it may be there before what comes. */
  async makeRoom(): Promise<void> {
    if (this.#bytes < this.#mostBytes) return;
    const free = [...this.#held.values()].flatMap((one) => one.free ?? []);
    const stages = this.#take();
    await this.#writing;
    this.#writing = this.#write(stages).then(() => {
      for (const each of free) each();
    });
    // Whoever waits for it meets its failure.
    this.#writing.catch(() => undefined);
  }

  /** Writes all that is in hand, what is left at the end by `last`, and resolves when everything is there. */
  async finish(last?: Store['write']): Promise<void> {
    await this.#writing;
    await this.#write(this.#take(), last);
  }

  /** Resolves when nothing of it is on its way any more, however that ends. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  #take(): Stage[] {
    const stages: Stage[] = [];
    const at = (stage: number): Stage => (stages[stage] ??= { writes: [], blocks: [] });
    for (const { write, stage } of this.#held.values()) if (write !== undefined) at(stage).writes.push(write);
    for (const block of this.#blocks.values()) at(stageOfBlock(block)).blocks.push(block);
    this.#held.clear();
    this.#blocks.clear();
    this.#bytes = 0;
    return stages.filter(Boolean);
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
    } finally {
      await writing;
    }
  }

  /** What is written together, in the order of stages: all of it where no rows change, or few. */
  async *#batches(stages: readonly Stage[], memory: BlockMemory): AsyncGenerator<WriteBatch> {
    let batch: DocumentWrite[][] = [];
    let bytes = 0;
    for (const { writes, blocks } of stages) {
      batch.push(writes);
      for (let from = 0; from < blocks.length; from += READ_TOGETHER) {
        const changed = await this.#changed(blocks.slice(from, from + READ_TOGETHER), memory);
        batch.at(-1)?.push(...changed);
        bytes += changed.reduce((sum, write) => sum + bytesOf(valueOf(write)), 0);
        if (bytes < WRITTEN_BYTES) continue;
        yield { batch, isLast: false };
        [batch, bytes] = [[[]], 0];
      }
    }
    yield { batch, isLast: true };
  }

  async #changed(blocks: readonly LaterBlock[], memory: BlockMemory): Promise<DocumentWrite[]> {
    const keys = blocks.map(([{ key }]) => key);
    memory.forgetCopies();
    const copy = blocks.length < READ_TOGETHER ? undefined : (value: Uint8Array) => memory.copy(value);
    const stored = await this.#store.newest(blocksCollection, keys, copy);
    const writes = blocks.flatMap((block, at) => writesOfBlock(stored[at] ?? nothing, block, memory.take()));
    memory.filled(writes);
    return writes;
  }
}

const valueOf = (write: DocumentWrite): Uint8Array | undefined =>
  write.op === 'put' ? write.value : undefined;

const bytesOf = (value: Uint8Array | undefined): number => value?.length ?? 0;
