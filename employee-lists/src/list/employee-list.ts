import type { Digester } from './digests.js';
import {
  type EmployeeListCheck,
  type EmployeeListReading,
  EmployeeListReader,
  type OnUnsettled,
} from './list-reader.js';

export function readEmployeeList(
  body: Uint8Array,
  digester: Digester,
  onUnsettled?: OnUnsettled,
): EmployeeListReading {
  const check = checkEmployeeList(body, digester, Number.POSITIVE_INFINITY, onUnsettled);
  if (check.status === 'checked') throw new Error('a list of any length is read');
  return check;
}

/** The same checks; gives the list only if it has fewer elements than `digestBelow`, so that no digest is wasted. */
export function checkEmployeeList(
  body: Uint8Array,
  digester: Digester,
  digestBelow: number,
  onUnsettled?: OnUnsettled,
): EmployeeListCheck {
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const bytes = (start: number, end: number): Buffer => whole.subarray(start, end);
  const reader = new EmployeeListReader({
    digester,
    digestBelow,
    expectedBytes: body.length,
    bytes,
    onUnsettled,
  });
  try {
    reader.feed(whole);
    return reader.finish();
  } finally {
    reader.close();
  }
}
