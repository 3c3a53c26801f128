import { isSwept } from '../event-store/staged-data.js';
import type { RecordedEvent } from '../ports/event-log.js';
import { AnchoredHeads, type Head } from './anchor.js';
import { headOf } from './heads.js';

/** The heads after the first events of a log, given in its order. Holds every stream that stays. */
export class HeadsSoFar {
  readonly #heads = new Map<string, Head>();
  readonly #names: string[] = [];
  events = 0;

  get streams(): number {
    return this.#names.length;
  }

  of(stream: string): Head | undefined {
    return this.#heads.get(stream);
  }

  /** False for a chunk, which no anchor counts. */
  take(event: RecordedEvent): boolean {
    const { stream } = event;
    if (isSwept(stream)) return false;
    if (!this.#heads.has(stream)) this.#names.push(stream);
    this.#heads.set(stream, headOf(event));
    this.events += 1;
    return true;
  }

  /** `target`: the stream whose inclusion is proved. */
  anchored(target?: string) {
    const anchored = new AnchoredHeads();
    // Mostly sorted already: new names stand at the end.
    for (const name of this.#names.sort()) {
      const head = this.#heads.get(name);
      if (head !== undefined) anchored.add(head, name === target);
    }
    return anchored.end();
  }
}
