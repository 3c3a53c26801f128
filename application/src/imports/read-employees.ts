import { type EmployeeList, type EmployeeListCheck, EmployeeListReader } from '@rollcall/employee-lists';
import { releaseMemory } from '../process-memory.js';
import { RunStopped } from '../ports/run-stopped.js';
import type { ReadingDeps } from './import-deps.js';
import { readChunks, type StoredBody } from './stored-body.js';

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
