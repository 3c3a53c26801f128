import type { CallContext } from '@rollcall/contracts';
import { payloadStream } from '@rollcall/domain';
import { ChunkBuffers } from '../event-store/cut-source.js';
import { writeChunks, type Chunk, type ChunksDeps } from '../event-store/chunks.js';
import { eventId } from '../event-store/new-events.js';
import { type Moment, momentOf } from '../event-store/preparation.js';
import { CHUNK_BYTES } from '../event-store/staged-data.js';

/** Chunks that may wait for those in flight (backpressure). */
const mostWaiting = 2;

export interface WrittenPayload {
  /** No chunk was written earlier. */
  readonly since: Moment;
}

/** Only for an import that is sure to be queued: nobody else writes to its stream. `finish` or `discard` has to end it. */
export class PayloadWriter {
  readonly #deps: ChunksDeps;
  readonly #context: CallContext;
  readonly #stream: string;
  readonly #since: Moment;
  readonly #memory = new ChunkBuffers();
  readonly #waiting: Uint8Array[] = [];
  readonly #written: Promise<number>;
  #chunk: Uint8Array;
  #filled = 0;
  #isWhole = false;
  #isBegun = false;
  #isDiscarded = false;
  #failed: { readonly error: unknown } | undefined;
  #wakeWriter: () => void = () => undefined;
  #wakeReader: () => void = () => undefined;

  constructor(deps: ChunksDeps, context: CallContext) {
    this.#deps = deps;
    this.#context = context;
    this.#stream = payloadStream(context.operationId);
    this.#since = momentOf(deps);
    this.#chunk = this.#memory.take();
    const to = { stream: this.#stream, context, isFresh: true };
    this.#written = writeChunks(deps, to, this.#chunks(), ({ bytes }) => this.#memory.giveBack(bytes));
    this.#written.catch((error: unknown) => {
      this.#failed = { error };
      this.#wakeReader();
    });
  }

  /** Copies the bytes, which may end anywhere. Resolves when more may come; rejects where they cannot be written. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength;) {
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.byteLength;
      at += part.byteLength;
      if (this.#filled === CHUNK_BYTES) await this.#pass(this.#memory.take());
    }
  }

  /** Call it after the last byte. Resolves when all of it is durable. */
  async finish(): Promise<WrittenPayload> {
    if (this.#filled > 0) await this.#pass(new Uint8Array(0));
    this.#end();
    await this.#written;
    this.#memory.release();
    return { since: this.#since };
  }

  /** Deletes the stream. Call it only while no event can refer to it. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    this.#end();
    await this.#written.catch(() => undefined);
    this.#memory.release();
    if (this.#isBegun) await this.#deps.log.deleteStream(this.#stream);
  }

  #end(): void {
    this.#isWhole = true;
    this.#wakeWriter();
  }

  async #pass(next: Uint8Array): Promise<void> {
    this.#waiting.push(this.#chunk.subarray(0, this.#filled));
    this.#chunk = next;
    this.#filled = 0;
    this.#wakeWriter();
    while (this.#failed === undefined && this.#waiting.length > mostWaiting)
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    if (this.#failed) throw this.#failed.error;
  }

  async *#chunks(): AsyncGenerator<Chunk> {
    for (let index = 0; ;) {
      const bytes = this.#isDiscarded ? undefined : this.#waiting.shift();
      if (bytes !== undefined) {
        this.#isBegun = true;
        this.#wakeReader();
        yield { bytes, id: eventId(this.#context.operationId, this.#stream, index++) };
      } else if (this.#isWhole) return;
      else await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
    }
  }
}
