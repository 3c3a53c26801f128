import { KnownGaps } from './known-gaps.js';
import { LastPosition, type LastPositionOptions } from './last-position.js';
import type { OwnStreams } from './own-streams.js';
import type { Wire } from './wire.js';

interface Poll {
  readonly last: LastPosition;
  readonly gaps: KnownGaps;
}

/** One `LastPosition` per choice of left-out streams. */
export class Polls {
  readonly #wire: Wire;
  readonly #own: OwnStreams;
  readonly #options: Omit<LastPositionOptions, 'withoutStreams' | 'gaps'>;
  readonly #known = new Map<string, Poll>();

  constructor(wire: Wire, own: OwnStreams, options: Omit<LastPositionOptions, 'withoutStreams' | 'gaps'>) {
    this.#wire = wire;
    this.#own = own;
    this.#options = options;
  }

  without(withoutStreams: readonly string[]): Poll {
    const choice = JSON.stringify(withoutStreams);
    const known = this.#known.get(choice);
    if (known !== undefined) return known;
    const gaps = new KnownGaps(withoutStreams.length === 0 ? undefined : this.without([]).gaps);
    const onShrunk = (): void => {
      this.#known.clear();
      this.#options.onShrunk();
    };
    const last = new LastPosition(this.#wire, this.#own, {
      ...this.#options,
      onShrunk,
      withoutStreams,
      gaps,
    });
    this.#known.set(choice, { gaps, last });
    return { gaps, last };
  }
}
