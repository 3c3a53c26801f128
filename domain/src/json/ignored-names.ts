import { shownName } from './json-shapes.js';

/** Callers choose these names: a rehearsal shows a bounded number of them. */
const mostNames = 100;

/** Counts members that have no place among the known ones, in memory that does not grow with the body. */
export class IgnoredNames {
  readonly #counts = new Map<string, number>();
  #others = 0;

  add(name: string): void {
    const shown = shownName(name);
    const count = this.#counts.get(shown);
    if (count === undefined && this.#counts.size === mostNames) this.#others++;
    else this.#counts.set(shown, (count ?? 0) + 1);
  }

  /** Each of the first 100 names, 40 characters of it, with how often it came; `...` counts the others. */
  counts(): Readonly<Record<string, number>> {
    const counts = Object.fromEntries(this.#counts);
    return this.#others > 0 ? { ...counts, '...': this.#others } : counts;
  }
}
