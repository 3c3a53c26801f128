import type { AllPosition } from './requests.js';

const MOST = 64;

interface Gap {
  /** Behind it nothing matches, up to and with `to`. */
  readonly from: bigint;
  readonly to: AllPosition;
}

const widthOf = ({ from, to }: Gap): bigint => to.commit - from;

const commitOf = (place: AllPosition | undefined): bigint => place?.commit ?? -1n;

/** Where others' events stand and none of our own: who begins there begins behind them. The widest places are kept. */
export class KnownGaps {
  readonly #gaps = new Map<bigint, Gap>();
  readonly #wider: KnownGaps | undefined;

  /** `wider`: gaps of a choice that has everything that this one has. */
  constructor(wider?: KnownGaps) {
    this.#wider = wider;
  }

  /** Nothing that matches stands behind `from` (undefined: from the beginning), up to and with `to`. */
  note(from: bigint | undefined, to: AllPosition): void {
    const gap = { from: from ?? -1n, to };
    const known = this.#gaps.get(gap.from);
    if (widthOf(gap) <= (known === undefined ? 0n : widthOf(known))) return;
    this.#gaps.set(gap.from, gap);
    if (this.#gaps.size <= MOST) return;
    const narrowest = [...this.#gaps.values()].reduce((one, other) =>
      widthOf(other) < widthOf(one) ? other : one,
    );
    this.#gaps.delete(narrowest.from);
  }

  /** The last place known from which on the same comes as from this one. */
  beyond(after: AllPosition | undefined): AllPosition | undefined {
    const place = commitOf(after);
    let best = this.#wider?.beyond(after) ?? after;
    for (const { from, to } of this.#gaps.values())
      if (from <= place && to.commit > commitOf(best)) best = to;
    return best;
  }
}
