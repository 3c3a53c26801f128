export const maxProblems = 1000;

/** A bounded number of messages, and a count of the rest (docs/contract, "Validation"). */
export class Problems {
  readonly #messages: string[] = [];
  /** Includes problems without a message; callers may add to it. */
  count = 0;

  /** @param message called only if there is room for it. */
  add(message: () => string): void {
    if (this.count++ < maxProblems) this.#messages.push(message());
  }

  get isFull(): boolean {
    return this.count >= maxProblems;
  }

  /** In the order of the elements; a last message counts the omitted ones. */
  list(): readonly string[] {
    const more = this.count - this.#messages.length;
    return more > 0 ? [...this.#messages, `... and ${more} more`] : [...this.#messages];
  }
}
