/** Serialises appends per stream: calls on a connection overtake each other, and a caller may append without waiting. */
export class AppendTurns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(stream: string, append: () => Promise<T>): Promise<T> {
    const before = this.#last.get(stream) ?? Promise.resolve();
    const own = before.then(append);
    const done = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(stream, done);
    try {
      return await own;
    } finally {
      if (this.#last.get(stream) === done) this.#last.delete(stream);
    }
  }
}
