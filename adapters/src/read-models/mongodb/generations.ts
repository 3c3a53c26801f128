import { randomUUID } from 'node:crypto';
import {
  firstClaim,
  isClaimedBy,
  isOfAnother,
  isOver,
  liveOf,
  nextClaim,
  unfinishedOf,
  type KnownGeneration,
} from '../generation-rules.js';
import { GenerationStore, type ClaimedNumber, type WholeStoreOptions } from '../whole-store.js';
import { GenerationReplaced, SingleFlight } from '@rollcall/application';
import type { Connection, Deadline } from './connection.js';
import { GenerationCollections, generationOf } from './documents.js';
import { GenerationRegistry, type NotedGeneration, type StoreState } from './generation-registry.js';

const POLL_MS = 25;

export class MongodbGenerations extends GenerationStore {
  readonly connection: Connection;
  readonly registry: GenerationRegistry;
  readonly collections: GenerationCollections;
  readonly state = new SingleFlight(() => this.#read());
  #filling: string | undefined;

  constructor(connection: Connection, options: WholeStoreOptions) {
    super(options, { pollMs: options.pollMs ?? POLL_MS, hintName: `rollcall-read-models:${randomUUID()}` });
    this.connection = connection;
    this.registry = new GenerationRegistry(connection);
    this.collections = new GenerationCollections(connection, this.declared);
  }

  /** Call it with every read: another filling voids cached collections. */
  seen({ filling }: StoreState): void {
    if (filling !== this.#filling) this.collections.forget();
    this.#filling = filling;
  }

  async liveNumber(): Promise<number | undefined> {
    return liveOf((await this.#read()).known, this.version)?.number;
  }

  async known(): Promise<readonly KnownGeneration[]> {
    return (await this.#read()).known;
  }

  add(builder: string): Promise<number> {
    return this.connection.write((deadline) => this.registry.add(this.#noted(builder), deadline));
  }

  claim(builder: string, lapsed: string | undefined): Promise<ClaimedNumber> {
    return this.connection.write(async (deadline) => {
      for (;;) {
        const turn = await this.#tryClaim({ builder, lapsed }, deadline);
        if (turn !== undefined) return turn;
      }
    });
  }

  async #tryClaim(
    { builder, lapsed }: { readonly builder: string; readonly lapsed: string | undefined },
    deadline: Deadline,
  ): Promise<ClaimedNumber | undefined> {
    const { known, last } = await this.registry.read(deadline);
    if (liveOf(known, this.version) !== undefined) return { kind: 'complete' };
    const unfinished = unfinishedOf(known, this.version, this.now());
    if (unfinished === undefined) {
      const isMine = await this.registry.note(last, this.#noted(builder), deadline);
      return isMine ? { kind: 'claimed', number: last + 1 } : undefined;
    }
    const next = nextClaim(unfinished.claim, builder, lapsed);
    if (next === undefined) return { kind: 'held', claim: unfinished.claim ?? '' };
    const isMine = await this.registry.setClaim({ ...unfinished, begun: this.now() }, next, deadline);
    return isMine ? { kind: 'claimed', number: unfinished.number } : undefined;
  }

  renew(number: number, builder: string): Promise<boolean> {
    return this.#changeClaim(number, builder, (claim) => nextClaim(claim, builder));
  }

  async release(number: number, builder: string): Promise<void> {
    await this.#changeClaim(number, builder, () => undefined);
  }

  #changeClaim(
    number: number,
    builder: string,
    change: (claim: string | undefined) => string | undefined,
  ): Promise<boolean> {
    return this.connection.write(async (deadline) => {
      const { known } = await this.registry.read(deadline);
      const own = known.find((one) => one.number === number && isClaimedBy(one.claim, builder));
      const begun = this.now();
      return own !== undefined && this.registry.setClaim({ ...own, begun }, change(own.claim), deadline);
    });
  }

  isOfAnother({ known }: StoreState, number: number, builder: string): boolean {
    return isOfAnother(
      known.find((one) => one.number === number),
      builder,
    );
  }

  #noted(builder: string): NotedGeneration {
    return { version: this.version ?? null, begun: this.now(), since: null, claim: firstClaim(builder) };
  }

  beginEmpty(): Promise<void> {
    return this.connection.write((deadline) =>
      this.registry.beginEmpty({ version: this.version ?? null, begun: this.now(), since: null }, deadline),
    );
  }

  complete(number: number, builder: string): Promise<boolean> {
    return this.connection.write(async (deadline) => {
      if (this.isOfAnother(await this.registry.read(deadline), number, builder))
        throw GenerationReplaced.byBuilder();
      return this.registry.makeLive(number, this.now(), deadline);
    });
  }

  async dropUnfinished(number: number, builder: string): Promise<void> {
    const isAnothers = await this.connection.read(async (deadline) =>
      this.isOfAnother(await this.registry.read(deadline), number, builder),
    );
    if (!isAnothers) await this.#drop({ number, since: null });
  }

  /** The next sweep deletes what an interruption leaves. */
  async #drop(one: Pick<KnownGeneration, 'number' | 'since'>): Promise<void> {
    const removed = await this.connection.write((deadline) => this.registry.remove(one, deadline));
    if (!removed) return;
    for (const name of await this.#collectionNames())
      if (generationOf(name) === one.number) await this.#dropCollection(name);
  }

  /** Also deletes collections that a late writer has re-created. */
  async sweep(): Promise<void> {
    const names = await this.#collectionNames();
    // Read after the names: a generation is registered before it has a collection.
    const { known, generations } = await this.#read();
    for (const one of known) if (isOver(one, known, this.now())) await this.#drop(one);
    const begun = new Set(known.map(({ number }) => number));
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
