import type { AllPosition } from './requests.js';

const MOST = 64;

interface Gap {
  readonly from: bigint;
  readonly to: AllPosition;
}

const widthOf = ({ from, to }: Gap): bigint => to.commit - from;

const commitOf = (start: AllPosition | undefined): bigint => start?.commit ?? -1n;

/** Ranges of the log without our own events, which subscriptions skip. Keeps the widest. */
export class KnownGaps {
  readonly #gaps = new Map<bigint, Gap>();
  readonly #wider: KnownGaps | undefined;

  /** `wider`: gaps of a choice that includes this one. */
  constructor(wider?: KnownGaps) {
    this.#wider = wider;
  }

  /** Nothing matches after `from` (undefined: the start), up to and including `to`. */
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

  /** The last position from which the same events follow. */
  resumeFrom(after: AllPosition | undefined): AllPosition | undefined {
    const start = commitOf(after);
    let best = this.#wider?.resumeFrom(after) ?? after;
    for (const { from, to } of this.#gaps.values())
      if (from <= start && to.commit > commitOf(best)) best = to;
    return best;
  }
}
