import type { Report } from '@rollcall/employee-lists/text';
import { maxProblems } from './limits.js';

/** The first problems and the number of the rest (docs/contract, "Managers", "400 body"). */
export class ProblemList {
  readonly #texts: string[] = [];
  #count = 0;

  readonly report: Report = (problem) => {
    if (this.#count++ < maxProblems) this.#texts.push(problem);
  };

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  texts(): readonly string[] {
    const more = this.#count - this.#texts.length;
    return more > 0 ? [...this.#texts, `and ${more} more`] : [...this.#texts];
  }
}
