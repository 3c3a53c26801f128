import type { RecordedEvent } from '@rollcall/application/read';
import type { UnderWay } from './checkpoint.js';

export interface TakenEvent {
  readonly recorded: RecordedEvent;
  readonly underWay: UnderWay;
}

/** Streams with a large event in flight, and the events queued after it. */
export class BusyStreams {
  readonly #waiting = new Map<string, TakenEvent[]>();
  count = 0;
  bytes = 0;

  has(stream: string): boolean {
    return this.#waiting.has(stream);
  }

  begin(stream: string): void {
    this.#waiting.set(stream, []);
  }

  wait(taken: TakenEvent): void {
    this.#waiting.get(taken.recorded.stream)?.push(taken);
    this.count += 1;
    this.bytes += taken.recorded.data.byteLength;
  }

  /** Frees the stream; returns what was queued, in order. */
  end(stream: string): readonly TakenEvent[] {
    const waited = this.#waiting.get(stream) ?? [];
    this.#waiting.delete(stream);
    this.count -= waited.length;
    this.bytes -= waited.reduce((sum, { recorded }) => sum + recorded.data.byteLength, 0);
    return waited;
  }
}
