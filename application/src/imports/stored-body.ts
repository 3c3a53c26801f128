/** Received in full and unpacked; in memory or in a file. */
export interface StoredBody {
  readonly length: number;
  /** Hex. */
  readonly sha256: string;
  /** The bytes from `start` to `end` (exclusive): read-only, valid until the next call. */
  read(start: number, end: number): Buffer;
  /** Fills `into` from the offset `from` on, as far as there are bytes. Returns the bytes copied. */
  copy(into: Uint8Array, from: number): number;
}

export function bodyInMemory(body: Uint8Array, sha256: string): StoredBody {
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return {
    length: whole.length,
    sha256,
    read: (start, end) => whole.subarray(start, end),
    copy: (into, from) => whole.copy(into, 0, from),
  };
}

/** Each is valid until the next is requested. */
export function* readChunks(body: Pick<StoredBody, 'length' | 'copy'>, bytes: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(Math.min(bytes, body.length));
  for (let at = 0; at < body.length; at += bytes) yield chunk.subarray(0, body.copy(chunk, at));
}
