import type { LoadedEvent } from './event-store/loaded-event.js';
import { type ReadModelReader, ReadModelsUnavailable } from './ports/read-models.js';

/** What an operation has appended, as far as read models will show it. It can be sent to another thread. */
export interface Written {
  readonly stream: string;
  /** Of its last event. */
  readonly revision: number;
  /** Bytes of the data of all its events. */
  readonly bytes: number;
}

/** Of the events of one operation, in their order; at least one. */
export function writtenOf(events: readonly LoadedEvent[]): Written {
  const last = events.at(-1);
  if (!last) throw new RangeError('nothing was written');
  const { stream, revision } = last;
  return { stream, revision, bytes: events.reduce((sum, { size }) => sum + size, 0) };
}

const waitMs = 1_000;

/** What is larger is not projected within the wait: a list of some 8,000 employees. */
const mostBytes = 4 * 1024 * 1024;

/** Of so many streams it is remembered that they are behind. */
const mostStreams = 10_000;

/**
 * Waits until the read models show what was appended, so that a caller who reads finds it there, nearly always: at most 1 s,
 * and only where they are behind by what this call wrote and perhaps by others like it. One for a process: behind what is too
 * large to be shown in that time, or was waited for in vain, nobody waits on the same stream (design: "Read models").
 */
export class ReadModelWait {
  readonly #readModels: Pick<ReadModelReader, 'reached'>;
  /** Of streams that are behind the revision that they have to come to. */
  readonly #behind = new Map<string, number>();

  constructor(readModels: Pick<ReadModelReader, 'reached'>) {
    this.#readModels = readModels;
  }

  /** Where the read models are away it does not wait: what is in the log is done. */
  async until(written: Written): Promise<void> {
    try {
      if (await this.#isBehindMore(written)) return;
      const { stream, revision, bytes } = written;
      const isShown = bytes <= mostBytes && (await this.#readModels.reached(stream, revision, waitMs));
      if (!isShown) this.#remember(written);
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
    }
  }

  async #isBehindMore({ stream }: Written): Promise<boolean> {
    const revision = this.#behind.get(stream);
    if (revision === undefined) return false;
    if (!(await this.#readModels.reached(stream, revision, 0))) return true;
    if (this.#behind.get(stream) === revision) this.#behind.delete(stream);
    return false;
  }

  #remember({ stream, revision }: Written): void {
    const known = this.#behind.get(stream) ?? -1;
    this.#behind.delete(stream);
    this.#behind.set(stream, Math.max(known, revision));
    const [oldest] = this.#behind.keys();
    if (this.#behind.size > mostStreams && oldest !== undefined) this.#behind.delete(oldest);
  }
}
