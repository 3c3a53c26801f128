import { isUtf8 } from 'node:buffer';
import type { JsonProblem } from './json-scanner.js';

/** The first invalid byte, or a byte order mark; else undefined. */
export function utf8Problem(bytes: Uint8Array): JsonProblem | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { at: 0, what: 'byte order mark' };
  return isUtf8(bytes) ? undefined : { at: firstInvalid(bytes), what: 'invalid UTF-8' };
}

/** Binary search: a prefix that only cuts a sequence is valid. */
function firstInvalid(bytes: Uint8Array): number {
  let sound = 0;
  let unsound = bytes.length;
  while (unsound - sound > 1) {
    const middle = (sound + unsound) >>> 1;
    if (isSoundPrefix(bytes.subarray(0, middle))) sound = middle;
    else unsound = middle;
  }
  return sound;
}

function isSoundPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
