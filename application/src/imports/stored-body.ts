import { type EmployeeList, type EmployeeListCheck, EmployeeListReader } from '@rollcall/employee-lists';
import { releaseMemory } from '../process-memory.js';
import { RunStopped } from '../ports/run-stopped.js';
import type { ReadingDeps } from './import-deps.js';

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

const chunkBytes = 256 * 1024;

interface ReaderOptions {
  /** From this many elements on, a list is not digested. */
  readonly digestBelow: number;
  readonly expectedBytes: number;
}

/** `bytes` gives back what was fed. `close` has to end the reader. */
export const employeeReader = (
  bytes: StoredBody['read'],
  { digester, onUnsettled }: ReadingDeps,
  options: ReaderOptions,
): EmployeeListReader => new EmployeeListReader({ ...options, digester, bytes, onUnsettled });

/** `RunStopped` once `abandonsRuns` says so. */
export function feedFrom(
  body: Pick<StoredBody, 'length' | 'copy'>,
  reader: EmployeeListReader,
  { abandonsRuns }: ReadingDeps,
): void {
  for (const chunk of readChunks(body, chunkBytes)) {
    if (abandonsRuns?.()) throw new RunStopped();
    reader.feed(chunk);
  }
}

export function checkEmployees(body: StoredBody, deps: ReadingDeps, digestBelow: number): EmployeeListCheck {
  const bytes: StoredBody['read'] = (start, end) => body.read(start, end);
  const reader = employeeReader(bytes, deps, { digestBelow, expectedBytes: body.length });
  try {
    feedFrom(body, reader, deps);
    return reader.finish();
  } finally {
    reader.close();
  }
}

/** Frees the list's memory: it must not be used afterwards. */
export function releaseList({ bounds, plain, withUnknown, ids, digests }: EmployeeList): void {
  for (const { buffer } of [bounds, plain, withUnknown, ids, digests])
    if (buffer instanceof ArrayBuffer) releaseMemory(buffer);
}
