import {
  movedProgress,
  sharesOf,
  withShares,
  type CountRange,
  type DocumentKey,
  type DocumentWrite,
  type FindOptions,
  type IndexOptions,
  type NewestDocument,
  type ParkedStream,
  type Position,
  type Progress,
  type ProgressChanges,
  type ReadModelReader,
  type ReadModelWriter,
  type Share,
  type StoredDocument,
  type TakeValue,
} from '@rollcall/application';

interface Stored {
  readonly key: DocumentKey;
  readonly revision: number;
  readonly value: Uint8Array | undefined;
  readonly indexed: Readonly<Record<string, readonly number[]>>;
}

const noChanges = { documents: [], skipped: [], park: [] };

const comparePart = (one: number | string, other: number | string): number =>
  one === other ? 0 : one < other ? -1 : 1;

export function compareKeys(one: DocumentKey, other: DocumentKey): number {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const order = comparePart(one[at] ?? '', other[at] ?? '');
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

/** Whatever the store does, each by itself: a test may do something before it, or let it fail. */
export type ModelHook = (write: DocumentWrite) => Promise<void>;

/** The rules of a read-model store in their simplest form, in memory. Each document is written by itself. */
export class ModelReadModels implements ReadModelReader, ReadModelWriter {
  readonly #collections = new Map<string, Map<string, Stored>>();
  readonly #parked = new Map<string, ParkedStream>();
  #progress: Progress = { position: undefined };
  /** Called before each write; what it throws ends the call where it stands. */
  beforeWrite: ModelHook = () => Promise.resolve();
  /** What was written so far, the writes that were left out too. */
  writes = 0;

  get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#stored(collection, key)?.value);
  }

  getMany<T>(collection: string, keys: readonly DocumentKey[], take: TakeValue<T>): Promise<readonly T[]> {
    return Promise.resolve(keys.map((key, place) => take(this.#stored(collection, key)?.value, place)));
  }

  async *find(collection: string, options: FindOptions): AsyncGenerator<StoredDocument> {
    for await (const batch of this.findBatches(collection, options)) yield* batch;
  }

  async *findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const { prefix, after, limit = Infinity, reverse = false } = options;
    const found = this.#live(collection)
      .filter(({ key }) => prefix.every((part, at) => key[at] === part))
      .sort((one, other) => compareKeys(one.key, other.key) * (reverse ? -1 : 1))
      .filter(({ key }) => after === undefined || compareKeys(key, after) * (reverse ? -1 : 1) > 0);
    if (found.length > 0) yield found.slice(0, limit);
  }

  async *findByIndex(
    collection: string,
    index: string,
    options: IndexOptions,
  ): AsyncGenerator<StoredDocument> {
    const { prefix, from = -Infinity, upTo = Infinity, limit = Infinity } = options;
    const found = this.#live(collection)
      .flatMap((document) => {
        const tuple = document.indexed[index];
        return tuple === undefined ? [] : [{ document, tuple }];
      })
      .filter(({ tuple }) => prefix.every((part, at) => tuple[at] === part))
      .filter(({ tuple }) => (tuple[prefix.length] ?? -Infinity) <= upTo)
      .filter(({ tuple }) => (tuple[prefix.length] ?? Infinity) >= from)
      .sort(
        (one, other) =>
          compareKeys(one.tuple, other.tuple) || compareKeys(one.document.key, other.document.key),
      );
    for (const { document } of found.slice(0, limit)) yield document;
  }

  count(collection: string, ranges: readonly CountRange[]): Promise<readonly number[]> {
    const stored = [...(this.#collections.get(collection)?.values() ?? [])];
    const keysOf = (index: string | undefined): readonly DocumentKey[] =>
      stored.flatMap(({ key, indexed }) => {
        const found: DocumentKey | undefined = index === undefined ? key : indexed[index];
        return found === undefined ? [] : [found];
      });
    const isIn = (key: DocumentKey, { from, to }: CountRange): boolean =>
      compareKeys(key, from) >= 0 && compareKeys(key, to) < 0;
    return Promise.resolve(
      ranges.map((range) => keysOf(range.index).filter((key) => isIn(key, range)).length),
    );
  }

  progress(): Promise<Progress> {
    return Promise.resolve(this.#progress);
  }

  parkedStreams(): Promise<readonly ParkedStream[]> {
    return Promise.resolve([...this.#parked.values()]);
  }

  reached(stream: string, revision: number): Promise<boolean> {
    const value = this.#stored('streams', [stream])?.value;
    const head: unknown = value && JSON.parse(Buffer.from(value).toString());
    const reached =
      typeof head === 'object' && head !== null && 'revision' in head && Number(head.revision) >= revision;
    return Promise.resolve(reached);
  }

  reachedPosition(position: Position): Promise<boolean> {
    return Promise.resolve(this.#progress.position !== undefined && this.#progress.position >= position);
  }

  newest(collection: string, keys: readonly DocumentKey[]): Promise<readonly (NewestDocument | undefined)[]> {
    return Promise.resolve(
      keys.map((key) => {
        const stored = this.#stored(collection, key);
        return stored && { revision: stored.revision, value: stored.value };
      }),
    );
  }

  async write(stages: readonly (readonly DocumentWrite[])[]): Promise<void> {
    for (const write of stages.flat()) {
      await this.beforeWrite(write);
      this.writes += 1;
      this.#put(write);
    }
  }

  async advance(expected: Progress, next: Progress, changes: ProgressChanges = {}): Promise<boolean> {
    const { documents, skipped, park, unpark } = { ...noChanges, ...changes };
    await this.write(documents);
    const moved = movedProgress(this.#progress, { expected, next, holder: changes.holder });
    if (moved === undefined || skipped.some((stream) => !this.#parked.has(stream))) return false;
    this.#progress = moved;
    for (const parked of park) this.#parked.set(parked.stream, parked);
    if (unpark !== undefined) this.#parked.delete(unpark);
    return true;
  }

  share(change: (shares: readonly Share[]) => readonly Share[]): Promise<Progress> {
    this.#progress = withShares(this.#progress, change(sharesOf(this.#progress)));
    return Promise.resolve(this.#progress);
  }

  /** Everything that is there, as text: `collection key revision value`, in order. */
  dump(): readonly string[] {
    return this.documents().map(({ text }) => text);
  }

  documents(): readonly { readonly collection: string; readonly key: DocumentKey; readonly text: string }[] {
    return [...this.#collections.keys()].sort().flatMap((collection) =>
      this.#live(collection)
        .sort((one, other) => compareKeys(one.key, other.key))
        .map(({ key, revision, value, indexed }) => ({
          collection,
          key,
          text: [
            collection,
            JSON.stringify(key),
            revision,
            JSON.stringify(indexed),
            Buffer.from(value).toString('latin1'),
          ].join(' '),
        })),
    );
  }

  #put(write: DocumentWrite): void {
    if (write.op === 'delete-to') {
      this.#deleteTo(write, write.from);
      return;
    }
    const stored = this.#stored(write.collection, write.key);
    if (stored !== undefined && stored.revision >= write.revision) return;
    const documents = this.#collections.get(write.collection) ?? new Map<string, Stored>();
    this.#collections.set(write.collection, documents);
    const { key, revision } = write;
    const value = write.op === 'put' ? Uint8Array.from(write.value) : undefined;
    const indexed = write.op === 'put' ? (write.indexed ?? {}) : {};
    documents.set(JSON.stringify(key), { key, revision, value, indexed });
  }

  #deleteTo({ collection, key }: DocumentWrite, from: number | undefined): void {
    const documents = this.#collections.get(collection);
    const isOlder = (other: DocumentKey): boolean =>
      other.length === key.length &&
      key.slice(0, -1).every((part, at) => other[at] === part) &&
      compareKeys(other, key) <= 0 &&
      (from === undefined ? compareKeys(other, key) === 0 : Number(other.at(-1)) >= from);
    for (const [name, stored] of documents ?? []) if (isOlder(stored.key)) documents?.delete(name);
  }

  #stored(collection: string, key: DocumentKey): Stored | undefined {
    return this.#collections.get(collection)?.get(JSON.stringify(key));
  }

  #live(collection: string): (StoredDocument & Pick<Stored, 'indexed'>)[] {
    return [...(this.#collections.get(collection)?.values() ?? [])].flatMap(({ value, ...stored }) =>
      value === undefined ? [] : [{ ...stored, value }],
    );
  }
}
