import type { JsonSource } from './new-events.js';
import { releaseMemory } from '../process-memory.js';
import { CHUNK_BYTES } from './staged-data.js';

/** A chunk in memory that belongs to the consumer until it is given back. */
export interface CutChunk {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

export class ChunkBuffers {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  giveBack(chunk: Uint8Array): void {
    if (chunk.byteLength === CHUNK_BYTES) this.#free.push(chunk);
  }

  release(): void {
    for (const { buffer } of this.#free.splice(0)) if (buffer instanceof ArrayBuffer) releaseMemory(buffer);
  }
}

/** Room for the end of a text behind its first part. */
const spareBytes = 1024;

/** Chunks of 512 KiB and a rest; at least one. A small text takes no more memory than it needs. */
export function* cutSource(source: JsonSource, memory: ChunkBuffers): Generator<CutChunk> {
  let chunk: Uint8Array = Buffer.alloc(0);
  let filled = 0;
  for (const bytes of source.chunks())
    for (let at = 0; at < bytes.byteLength;) {
      if (filled === CHUNK_BYTES) {
        yield { bytes: chunk, isLast: false };
        chunk = memory.take();
        filled = 0;
      }
      const part = bytes.subarray(at, at + CHUNK_BYTES - filled);
      chunk = withRoom(chunk, filled, filled + part.byteLength);
      chunk.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
    }
  yield { bytes: filled === chunk.byteLength ? chunk : chunk.subarray(0, filled), isLast: true };
}

function withRoom(chunk: Uint8Array, filled: number, wanted: number): Uint8Array {
  if (wanted <= chunk.byteLength) return chunk;
  const larger = Buffer.allocUnsafeSlow(
    Math.min(Math.max(wanted + spareBytes, 2 * chunk.byteLength), CHUNK_BYTES),
  );
  larger.set(chunk.subarray(0, filled));
  return larger;
}
