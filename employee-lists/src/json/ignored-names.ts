import { shownName } from './json-shapes.js';

/** Unknown member names and their counts; `...` counts the rest. */
export type IgnoredFields = Readonly<Record<string, number>>;

/** Callers choose these names, so an answer shows a bounded number. */
export const maxIgnoredNames = 100;

export const ignoredCounts = (names: Iterable<readonly [string, number]>, others: number): IgnoredFields =>
  Object.fromEntries(others > 0 ? [...names, ['...', others] as const] : names);

export class IgnoredNames {
  readonly #counts = new Map<string, number>();
  #others = 0;

  add(name: string): void {
    const shown = shownName(name);
    const count = this.#counts.get(shown);
    if (count === undefined && this.#counts.size === maxIgnoredNames) this.#others++;
    else this.#counts.set(shown, (count ?? 0) + 1);
  }

  counts(): IgnoredFields {
    return ignoredCounts(this.#counts, this.#others);
  }
}
