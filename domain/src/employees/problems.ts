export const maxProblems = 1000;

/** Collects messages up to a bound, and counts the rest (docs/contract, "Validation"). */
export class Problems {
  readonly #messages: string[] = [];
  #count = 0;

  /** @param message asked for only where there is room for it. */
  add(message: () => string): void {
    if (this.#count++ < maxProblems) this.#messages.push(message());
  }

  get count(): number {
    return this.#count;
  }

  /** The messages in the order of their elements, and a last one that counts what was left out. */
  list(): readonly string[] {
    const more = this.#count - this.#messages.length;
    return more > 0 ? [...this.#messages, `... and ${more} more`] : [...this.#messages];
  }
}
