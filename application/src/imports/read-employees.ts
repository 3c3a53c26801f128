import { type EmployeeList, type EmployeeListCheck, EmployeeListReader } from '@rollcall/domain';
import { releaseMemory } from '../event-store/release-memory.js';
import type { ReadingDeps } from './import-deps.js';
import { piecesOf, type StoredBody } from './stored-body.js';

/** So much of a body is read from its file at a time. */
const pieceBytes = 256 * 1024;

interface ReaderOptions {
  /** Lists of so many elements and more are not digested. */
  readonly digestBelow: number;
  /** About so many bytes come. */
  readonly expectedBytes: number;
}

/** A reader for a body of which `bytes` gives back what was fed. `close` has to end it. */
export const employeeReader = (
  bytes: StoredBody['read'],
  { digester, onUnsettled }: ReadingDeps,
  options: ReaderOptions,
): EmployeeListReader => new EmployeeListReader({ ...options, digester, bytes, onUnsettled });

/** Feeds all that is there of a body. */
export function feedFrom(body: Pick<StoredBody, 'length' | 'copy'>, reader: EmployeeListReader): void {
  for (const piece of piecesOf(body, pieceBytes)) reader.feed(piece);
}

/** Reads and checks a body that is there whole. A list of `digestBelow` elements and more is not digested. */
export function checkEmployees(body: StoredBody, deps: ReadingDeps, digestBelow: number): EmployeeListCheck {
  const bytes: StoredBody['read'] = (start, end) => body.read(start, end);
  const reader = employeeReader(bytes, deps, { digestBelow, expectedBytes: body.length });
  try {
    feedFrom(body, reader);
    return reader.finish();
  } finally {
    reader.close();
  }
}

/** Gives the memory of a list back. Nobody may look into it any more. */
export function releaseList({ bounds, plain, withUnknown, ids, digests }: EmployeeList): void {
  for (const { buffer } of [bounds, plain, withUnknown, ids, digests])
    if (buffer instanceof ArrayBuffer) releaseMemory(buffer);
}
