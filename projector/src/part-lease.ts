import { randomUUID } from 'node:crypto';
import { isAlive, machine } from '@rollcall/adapters/read';
import {
  monotonicMs,
  partsOf,
  type ReadModelReader,
  type ReadModelWriter,
  rebalanced,
  type Share,
  sharesOf,
} from '@rollcall/application/read';

/** How often a holder looks at the others. */
export const leaseLookMs = 500;
/** How often it shows them that it lives, which is a write. */
const beatMs = 1_000;
/** After that much silence of a holder its parts go to the others. */
export const leaseLapseMs = 8 * beatMs;

type Store = Pick<ReadModelReader, 'progress'> & Pick<ReadModelWriter, 'share'>;

/** Held by this process: a lease of another process with its number is of a former one. */
const ownHolders = new Set<string>();

export const isHeld = ({ holder }: Share): boolean => holder !== null;
export const isHeldHere = ({ holder }: Share): boolean => holder !== null && ownHolders.has(holder);

/** A projector's lease of parts of the streams, in one generation. It may lose them at any time: its next move is refused then. */
export class PartLease {
  readonly holder = `${machine} ${process.pid} ${randomUUID()}`;
  readonly #store: Store;
  readonly #timer: () => number;
  readonly #signs = new Map<string, { readonly text: string; readonly at: number }>();
  #looked = -Infinity;
  #beaten = -Infinity;

  constructor(store: Store, timer = monotonicMs) {
    this.#store = store;
    this.#timer = timer;
    ownHolders.add(this.holder);
  }

  /**
   * Takes the parts that are due to it, gives up those that are due to others, and shows them that it lives. Resolves with
   * those that it has. Alone it writes nothing.
   */
  async look(): Promise<bigint> {
    const before = sharesOf(await this.#store.progress());
    this.#see(before);
    if (before.every(this.#isMine)) return partsOf(before);
    const own = before.filter(this.#isMine);
    const due = this.#rebalanced(before).filter(this.#isMine);
    const isAsDue = own.length > 0 && partsOf(due) === partsOf(own);
    if (isAsDue && this.#looked - this.#beaten < beatMs) return partsOf(own);
    this.#beaten = this.#looked;
    const { shares = [] } = await this.#store.share((all) =>
      this.#rebalanced(all).map((one) => (this.#isMine(one) ? beating(one) : one)),
    );
    return partsOf(shares.filter(this.#isMine));
  }

  /** Others may have its parts at once. */
  async leave(): Promise<void> {
    ownHolders.delete(this.holder);
    await this.#store.share((all) => all.map((one) => (this.#isMine(one) ? { ...one, holder: null } : one)));
  }

  /** A look in flight leaves all as it is once `leave` was called. */
  readonly #rebalanced = (all: readonly Share[]): readonly Share[] =>
    ownHolders.has(this.holder) ? rebalanced(all, this.holder, this.#gone(all)) : all;

  readonly #isMine = ({ holder }: Share): boolean => holder === this.holder;

  /** After a rest of its own it has seen nothing of the others. */
  #see(shares: readonly Share[]): void {
    const now = this.#timer();
    if (now - this.#looked > leaseLapseMs / 2) this.#signs.clear();
    this.#looked = now;
    for (const holder of new Set(shares.flatMap((one) => one.holder ?? []))) {
      const text = signOf(shares, holder);
      if (this.#signs.get(holder)?.text !== text) this.#signs.set(holder, { text, at: now });
    }
  }

  #gone(shares: readonly Share[]): ReadonlySet<string> {
    const others = shares.flatMap(({ holder }) => (holder === null || holder === this.holder ? [] : holder));
    return new Set(others.filter((holder) => hasEnded(holder) || this.#isSilent(shares, holder)));
  }

  #isSilent(shares: readonly Share[], holder: string): boolean {
    const sign = this.#signs.get(holder);
    if (sign === undefined || sign.text !== signOf(shares, holder)) return false;
    return this.#timer() - sign.at >= leaseLapseMs;
  }
}

const beating = (share: Share): Share => ({ ...share, beats: share.beats + 1 });

const signOf = (shares: readonly Share[], holder: string): string =>
  shares
    .filter((one) => one.holder === holder)
    .map(({ beats, position, parts }) => `${beats} ${position} ${parts}`)
    .join();

/** Of a process on this machine, which has no lease to lose any more. Others have to be waited for. */
function hasEnded(holder: string): boolean {
  const [on, pid] = holder.split(' ');
  if (on !== machine) return false;
  return Number(pid) === process.pid ? !ownHolders.has(holder) : !isAlive(Number(pid));
}
