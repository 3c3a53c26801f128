/** The body of an import, received whole and unpacked, wherever it lies. */
export interface StoredBody {
  /** In bytes. */
  readonly length: number;
  /** Hex. */
  readonly sha256: string;
  /** The bytes between two places. Nobody writes to them; they are good until it is asked again. */
  read(start: number, end: number): Buffer;
  /** Fills memory of the caller's from this place on, as far as there is anything; how many bytes it copied. */
  copy(into: Uint8Array, from: number): number;
}

/** A body that lies in memory. */
export function bodyInMemory(body: Uint8Array, sha256: string): StoredBody {
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return {
    length: whole.length,
    sha256,
    read: (start, end) => whole.subarray(start, end),
    copy: (into, from) => whole.copy(into, 0, from),
  };
}

/** All of a body in pieces of so many bytes and a rest; each is good until the next one is asked for. */
export function* piecesOf(body: Pick<StoredBody, 'length' | 'copy'>, bytes: number): Generator<Uint8Array> {
  const piece = Buffer.allocUnsafe(Math.min(bytes, body.length));
  for (let at = 0; at < body.length; at += bytes) yield piece.subarray(0, body.copy(piece, at));
}
