import { SingleFlight } from '@rollcall/application';
import type { Connection } from './connection.js';
import { GenerationCollections } from './documents.js';
import type { Collections } from '../collections.js';
import type { OwnVersion } from '../generation-rules.js';
import { GenerationRegistry, type StoreState } from './generation-registry.js';

/** What the views of all generations share. */
export class ViewContext {
  readonly connection: Connection;
  readonly state: GenerationRegistry;
  readonly live: SingleFlight<StoreState>;
  readonly pollMs: number;
  readonly now: () => number;
  readonly version: OwnVersion;
  readonly declared: Collections;
  readonly #collections = new Map<number, GenerationCollections>();
  #filling: string | undefined;

  constructor(
    connection: Connection,
    { pollMs, now, version, declared }: Pick<ViewContext, 'pollMs' | 'now' | 'version' | 'declared'>,
  ) {
    this.connection = connection;
    this.version = version;
    this.declared = declared;
    this.state = new GenerationRegistry(connection);
    this.live = new SingleFlight(() => connection.read((deadline) => this.state.read(deadline)));
    this.pollMs = pollMs;
    this.now = now;
  }

  collections(generation: number): GenerationCollections {
    let collections = this.#collections.get(generation);
    if (collections === undefined)
      this.#collections.set(
        generation,
        (collections = new GenerationCollections(this.connection, this.declared, generation)),
      );
    return collections;
  }

  /** To be told of the store with every read: what is known of the collections of another filling is not true of this one. */
  seen({ filling }: StoreState): void {
    if (filling !== this.#filling) this.#collections.clear();
    this.#filling = filling;
  }
}
