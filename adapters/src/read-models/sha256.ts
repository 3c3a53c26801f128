import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Bytes that are hashed between two turns of the event loop. */
const HASH_BYTES = 8 * 1024 * 1024;

/** The SHA-256 of many bytes, in hexadecimal digits. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    hash.update(bytes.subarray(at, at + HASH_BYTES));
    if (at + HASH_BYTES < bytes.length) await setImmediate();
  }
  return hash.digest('hex');
}
