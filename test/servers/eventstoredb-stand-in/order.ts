import type { StoredEvent } from './log-file.js';
import { neighboursOf } from './neighbours.js';

/** The events of `$all`, in the order of their positions. */
export class EventOrder {
  #all: StoredEvent[] = [];
  #scavengedTo = 0;

  get all(): readonly StoredEvent[] {
    return this.#all;
  }

  get lastPosition(): number {
    return this.#all.at(-1)?.position ?? 0;
  }

  push(events: readonly StoredEvent[]): void {
    for (const event of events) this.#all.push(event);
  }

  /** Takes events away; up to a position nobody can tell any more where they were. The events that are gone. */
  remove(isGone: (event: StoredEvent) => boolean, scavengedTo: number): readonly StoredEvent[] {
    const gone = this.#all.filter(isGone);
    this.#all = this.#all.filter((event) => !isGone(event));
    this.#scavengedTo = scavengedTo;
    return gone;
  }

  /** The index of the first event at this position or behind it; their number where there is none. */
  indexFrom(position: number): number {
    let [from, to] = [0, this.#all.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#all[middle]?.position ?? Infinity) < position) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  from(position: number): StoredEvent | undefined {
    return this.#all[this.indexFrom(position)];
  }

  /** Whether a reader may name this position: an event begins there, a scavenge has been there, or it is past the end. */
  isPlace(position: number): boolean {
    const isKnown = position < this.#scavengedTo || this.from(position)?.position === position;
    return isKnown || position > this.lastPosition;
  }

  /** Of one that stands for many: its position, and how many of its steps lie at or before the position that is asked for. */
  within(position: number): { readonly from: number; readonly step: number } | undefined {
    const stored = this.from(position);
    const neighbours = stored && neighboursOf(stored);
    if (stored === undefined || neighbours === undefined) return undefined;
    const step = position - neighbours.positionAt(0);
    return step >= 0 && step < neighbours.steps ? { from: stored.position, step } : undefined;
  }
}
