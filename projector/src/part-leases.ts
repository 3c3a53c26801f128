import { randomInt, randomUUID } from 'node:crypto';
import { noParts, type Parts, type ReadModelWriter } from '@rollcall/application/read';
import { fairShare, leasesOf, leasesText, type Lease } from './fair-share.js';

/** A lease whose beat is the same at this many polls in a row has lapsed. */
const maxSilentPolls = 9;

const byHolder = (one: Lease, other: Lease): number => (one.holder < other.holder ? -1 : 1);

type Store = Pick<ReadModelWriter, 'leases' | 'lease'>;

export interface LeaseOptions {
  readonly holder?: string | undefined;
  /** Begins with all parts, since a former life may hold some. Others who live share them at the next polls. */
  readonly takesOver?: boolean;
}

/**
 * This projector's lease among those of one generation. Leases spread the work; correctness rests on the checkpoints of the parts. No clock
 * is compared: a holder that others stop seeing alive loses its parts to them, and finds out at its next poll.
 */
export class PartLeases {
  readonly #store: Store;
  readonly #holder: string;
  readonly #silent = new Map<string, { readonly beat: number; readonly polls: number }>();
  #takesOver: boolean;
  /** Of another life of this holder nobody knows the same one. */
  #beat = randomInt(2 ** 40);
  #parts: Parts = noParts;

  constructor(store: Store, { holder = randomUUID(), takesOver = true }: LeaseOptions = {}) {
    this.#store = store;
    this.#holder = holder;
    this.#takesOver = takesOver;
  }

  /** Gives up what is too much, takes what is free. Call it while no event is in hand. */
  async take(): Promise<Parts> {
    for (;;) {
      const text = await this.#store.leases();
      const all = leasesOf(text);
      const others = this.#othersIn(all);
      const own = all.find(({ holder }) => holder === this.#holder);
      const living = this.#takesOver && own === undefined ? [] : others;
      const parts = fairShare(this.#parts, living);
      const next = [{ holder: this.#holder, beat: this.#beat + 1, parts }, ...living].toSorted(byHolder);
      const isChanged = own?.parts !== parts || next.length !== all.length;
      if (isChanged && !(await this.#store.lease(text, leasesText(next)))) continue;
      this.#beat += 1;
      this.#takesOver = false;
      this.#parts = parts;
      return parts;
    }
  }

  /** Call it regularly. True where `take` would change something. `isWorking`: this projector can do its work. */
  async poll(isWorking: () => Promise<boolean>): Promise<boolean> {
    const text = await this.#store.leases();
    const all = leasesOf(text);
    this.#note(all);
    const others = this.#othersIn(all);
    const own = all.find(({ holder }) => holder === this.#holder);
    if (own?.parts !== this.#parts || fairShare(this.#parts, others) !== this.#parts) return true;
    if (all.length > 1 && (await isWorking())) await this.#showLife(text, all);
    return false;
  }

  async release(): Promise<void> {
    for (;;) {
      const text = await this.#store.leases();
      const all = leasesOf(text);
      const others = all.filter(({ holder }) => holder !== this.#holder);
      if (others.length === all.length || (await this.#store.lease(text, leasesText(others)))) return;
    }
  }

  /** Refused where another one has changed the leases: the next poll repeats it. */
  async #showLife(text: string | undefined, all: readonly Lease[]): Promise<void> {
    this.#beat += 1;
    const beat = this.#beat;
    await this.#store.lease(
      text,
      leasesText(all.map((one) => (one.holder === this.#holder ? { ...one, beat } : one))),
    );
  }

  #note(all: readonly Lease[]): void {
    for (const { holder, beat } of all) {
      const before = this.#silent.get(holder);
      this.#silent.set(holder, { beat, polls: before?.beat === beat ? before.polls + 1 : 0 });
    }
  }

  #othersIn(all: readonly Lease[]): readonly Lease[] {
    return all.filter(
      ({ holder, beat }) => holder !== this.#holder && !this.#hasLapsed(this.#silent.get(holder), beat),
    );
  }

  #hasLapsed(seen: { readonly beat: number; readonly polls: number } | undefined, beat: number): boolean {
    return seen?.beat === beat && seen.polls >= maxSilentPolls;
  }
}
