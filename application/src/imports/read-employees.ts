import { type EmployeeListCheck, EmployeeListReader } from '@rollcall/domain';
import type { HandlerDeps } from './import-deps.js';
import { piecesOf, type StoredBody } from './stored-body.js';

/** So much of a body is read from its file at a time. */
const pieceBytes = 256 * 1024;

/** A reader for a body of about so many bytes, of which `bytes` gives back what was fed. `close` has to end it. */
export const employeeReader = (
  bytes: StoredBody['read'],
  { digester, onUnsettled }: HandlerDeps,
  { digestBelow, expectedBytes }: { readonly digestBelow: number; readonly expectedBytes: number },
): EmployeeListReader => new EmployeeListReader({ digester, digestBelow, expectedBytes, bytes, onUnsettled });

/** Reads and checks a body that is there whole. A list of `digestBelow` elements and more is not digested. */
export function checkEmployees(body: StoredBody, deps: HandlerDeps, digestBelow: number): EmployeeListCheck {
  const read: StoredBody['read'] = (start, end) => body.read(start, end);
  const reader = employeeReader(read, deps, { digestBelow, expectedBytes: body.length });
  try {
    for (const piece of piecesOf(body, pieceBytes)) reader.feed(piece);
    return reader.finish();
  } finally {
    reader.close();
  }
}
