import type { LoadedEvent } from './event-store/loaded-event.js';
import type { Position } from './ports/event-log.js';
import { type ReadModelReader, ReadModelsUnavailable } from './ports/read-models.js';

/** What an operation has appended, as far as read models will show it. It can be sent to another thread. */
export interface Written {
  readonly stream: string;
  /** Of its last event, and its place in the log. */
  readonly revision: number;
  readonly position: Position;
  /** Bytes of the data of all its events. */
  readonly bytes: number;
}

/** Of the events of one operation, in their order; at least one. */
export function writtenOf(events: readonly LoadedEvent[]): Written {
  const last = events.at(-1);
  if (!last) throw new RangeError('nothing was written');
  const { stream, revision, position } = last;
  return { stream, revision, position, bytes: events.reduce((sum, { size }) => sum + size, 0) };
}

const waitMs = 1_000;

/** What is larger is not projected within the wait: a list of some 8,000 employees. */
const mostBytes = 4 * 1024 * 1024;

/** Events beyond this size are projected beside the others: how long that takes says nothing of how far behind the read models are. */
export const largeEventBytes = 512 * 1024;

/**
 * Waits until the read models show what was appended, so that a caller who reads finds it there, nearly always: at most 1 s,
 * and only where they are behind by what this call wrote and perhaps by others like it. One for a process: what one call has
 * waited for in vain no other waits for (design: "Read models").
 */
export class ReadModelWait {
  readonly #readModels: Pick<ReadModelReader, 'reached'>;
  /** The read models had not come to this in the time that a call waits. */
  #missed: Position | undefined;

  constructor(readModels: Pick<ReadModelReader, 'reached'>) {
    this.#readModels = readModels;
  }

  /** Where the read models are away it does not wait: what is in the log is done. */
  async until(written: Written): Promise<void> {
    if (written.bytes > mostBytes) return;
    try {
      if (await this.#areBehindMore(written)) return;
      const isShown = await this.#readModels.reached(written.position, waitMs, written);
      if (!isShown && written.bytes <= largeEventBytes) this.#miss(written.position);
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
    }
  }

  async #areBehindMore(written: Written): Promise<boolean> {
    const missed = this.#missed;
    if (missed === undefined) return false;
    if (!(await this.#readModels.reached(missed, 0, written))) return true;
    if (this.#missed === missed) this.#missed = undefined;
    return false;
  }

  #miss(position: Position): void {
    if (this.#missed === undefined || this.#missed < position) this.#missed = position;
  }
}
