/** Who goes on at once, each for so many of its steps. */
export interface Turn {
  readonly who: readonly number[];
  readonly steps: number;
}

type Method = (...args: unknown[]) => unknown;

/** Actors that go on only when it is their turn: each call of what was gated is a step. */
export class Turns {
  readonly #waiting: (() => void)[][];
  readonly #over: boolean[];
  /** Told when the actor waits again, or is over. */
  readonly #quiet: (() => void)[];

  constructor(actors: number) {
    this.#waiting = Array.from({ length: actors }, () => []);
    this.#over = this.#waiting.map(() => false);
    this.#quiet = this.#waiting.map(() => () => undefined);
  }

  /** The same object, whose methods wait for a turn of this actor, iterations at each item. */
  gated<T extends object>(target: T, who: number): T {
    const wait = (): Promise<void> => this.#wait(who);
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        const method = member.bind(target) as Method;
        return iterations.has(name) ? iterating(method, wait) : calling(method, wait);
      },
    });
  }

  /** Runs the actors by these turns, then each to its end, the first one first. */
  async play(turns: readonly Turn[], actors: readonly (() => Promise<unknown>)[]): Promise<void> {
    const running = actors.map((run, who) =>
      this.#wait(who)
        .then(run)
        .finally(() => {
          this.#over[who] = true;
          this.#quiet[who]?.();
        }),
    );
    const all = Promise.all(running);
    all.catch(() => undefined);
    for (const { who, steps } of turns)
      for (let step = 0; step < steps; step += 1) await Promise.all(who.map((one) => this.#step(one)));
    for (const who of actors.keys()) while (this.#over[who] !== true) await this.#step(who);
    await all;
  }

  #wait(who: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[who]?.push(resolve);
      this.#quiet[who]?.();
    });
  }

  /** Lets the actor go on until it waits for its next turn, or is over; what it began before may still be under way. */
  #step(who: number): Promise<void> {
    const waiting = this.#waiting[who] ?? [];
    return new Promise((resolve) => {
      this.#quiet[who] = resolve;
      waiting.shift()?.();
      if (this.#over[who] === true || waiting.length > 0) resolve();
    });
  }
}

const iterations = new Set<string | symbol>(['readStream', 'subscribeToAll', 'find', 'findBatches']);

const calling =
  (method: Method, wait: () => Promise<void>): Method =>
  async (...args) => {
    await wait();
    return method(...args);
  };

const iterating = (method: Method, wait: () => Promise<void>): Method =>
  async function* (...args) {
    await wait();
    for await (const item of method(...args) as AsyncIterable<unknown>) {
      yield item;
      await wait();
    }
  };
