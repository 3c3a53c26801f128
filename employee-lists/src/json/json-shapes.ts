import { shortened } from '../text/rules.js';

export type Report = (problem: string) => void;

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined where the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** null in an optional member means absent. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** Callers choose names, so their length is bounded. */
export const shownName = (name: string): string => shortened(name, 40);

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
