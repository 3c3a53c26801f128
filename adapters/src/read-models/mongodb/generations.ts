import { isOver, unfinishedOf, type KnownGeneration } from '../generation-rules.js';
import { GenerationStore, type WholeStoreOptions } from '../whole-store.js';
import { SingleFlight } from '@rollcall/application';
import type { Connection } from './connection.js';
import { GenerationCollections, generationOf } from './documents.js';
import { GenerationRegistry, type StoreState } from './generation-registry.js';

const POLL_MS = 25;

/** The generations of one database, and what their views share. */
export class MongodbGenerations extends GenerationStore {
  readonly connection: Connection;
  readonly registry: GenerationRegistry;
  readonly collections: GenerationCollections;
  readonly live = new SingleFlight(() => this.#read());
  #filling: string | undefined;

  constructor(connection: Connection, options: WholeStoreOptions) {
    super(options, options.pollMs ?? POLL_MS);
    this.connection = connection;
    this.registry = new GenerationRegistry(connection);
    this.collections = new GenerationCollections(connection, this.declared);
  }

  /** To be told of the store with every read: what is known of the collections of another filling is not true of this one. */
  seen({ filling }: StoreState): void {
    if (filling !== this.#filling) this.collections.forget();
    this.#filling = filling;
  }

  async known(): Promise<readonly KnownGeneration[]> {
    return (await this.#read()).known;
  }

  async unfinished(): Promise<number | undefined> {
    const { known, generations } = await this.#read();
    // One whose noting was cut off has no progress.
    const whole = known.filter(({ number }) => generations.has(number));
    return unfinishedOf(whole, this.version, this.now())?.number;
  }

  add(): Promise<number> {
    return this.connection.write((deadline) => this.registry.add(this.version, this.now(), deadline));
  }

  beginEmpty(): Promise<void> {
    return this.connection.write((deadline) => this.registry.beginEmpty(this.version, this.now(), deadline));
  }

  complete(number: number): Promise<boolean> {
    return this.connection.write((deadline) => this.registry.makeLive(number, this.now(), deadline));
  }

  dropUnfinished(number: number): Promise<void> {
    return this.#drop({ number, since: null });
  }

  /** What is left over when this is cut off goes with the next sweep. */
  async #drop(one: Pick<KnownGeneration, 'number' | 'since'>): Promise<void> {
    const removed = await this.connection.write((deadline) => this.registry.remove(one, deadline));
    if (!removed) return;
    for (const name of await this.#collectionNames())
      if (generationOf(name) === one.number) await this.#dropCollection(name);
  }

  /** Collections of generations that are no more go too: a late writer makes them again. */
  async sweep(): Promise<void> {
    const names = await this.#collectionNames();
    // Read behind the names: a generation is noted before it has a collection.
    const { known, generations } = await this.#read();
    for (const one of known) if (isOver(one, known, this.now())) await this.#drop(one);
    const begun = new Set(known.map(({ number }) => number));
    // Where a removal was cut off between its two writes.
    for (const number of generations.keys())
      if (!begun.has(number))
        await this.connection.write((deadline) => this.registry.forget(number, deadline));
    for (const name of names) {
      const number = generationOf(name);
      if (number !== undefined && !begun.has(number)) await this.#dropCollection(name);
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #read(): Promise<StoreState> {
    return this.connection.read((deadline) => this.registry.read(deadline));
  }

  #collectionNames(): Promise<string[]> {
    return this.connection.read(async (deadline) => {
      const cursor = this.connection.db.listCollections({}, { nameOnly: true });
      return (await deadline.step(() => cursor.toArray())).map(({ name }) => name);
    });
  }

  #dropCollection(name: string): Promise<boolean> {
    return this.connection.write((deadline) => deadline.step(() => this.connection.db.dropCollection(name)));
  }
}
