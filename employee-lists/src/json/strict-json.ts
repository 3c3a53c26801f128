import { JsonScanner, type JsonProblem, maxJsonDepth } from './json-scanner.js';
import { isUtf8 } from 'node:buffer';

type StrictJsonResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * RFC 8259. Also refuses invalid UTF-8, a byte order mark, NUL and lone surrogates (raw or escaped), repeated names,
 * `__proto__`, `prototype` inside `constructor`, more than 64 levels. A problem names byte position and rule, and no byte of
 * the body. `bytes` must not be shared memory.
 */
export function parseStrictJson(bytes: Uint8Array, maxDepth = maxJsonDepth): StrictJsonResult {
  const problem = utf8Problem(bytes) ?? new JsonScanner(bytes, maxDepth).scan();
  if (problem) return { ok: false, problem };
  return { ok: true, value: JSON.parse(decoder.decode(bytes)) };
}

export const describeJsonProblem = (problem: JsonProblem): string =>
  `The body is not valid JSON: ${problem.what} at byte ${problem.at}`;

/** The first invalid byte, or a byte order mark; else undefined. The bytes begin at `from`. */
function utf8Problem(bytes: Uint8Array, from = 0): JsonProblem | undefined {
  const hasMark = from === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (hasMark) return { at: 0, what: 'byte order mark' };
  return isUtf8(bytes) ? undefined : { at: from + firstInvalid(bytes), what: 'invalid UTF-8' };
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

function endOfWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

const nothing = new Uint8Array(0);

/** Chunks may end inside a character. */
export class Utf8Check {
  #rest: Uint8Array = nothing;
  #checkedBytes = 0;
  #problem: JsonProblem | undefined;

  /** False once the bytes cannot be UTF-8, or begin with a byte order mark. */
  push(chunk: Uint8Array): boolean {
    if (this.#problem) return false;
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = endOfWhole(bytes);
    this.#rest = end === bytes.length ? nothing : Uint8Array.from(bytes.subarray(end));
    this.#problem = utf8Problem(bytes.subarray(0, end), this.#checkedBytes);
    this.#checkedBytes += end;
    return this.#problem === undefined;
  }

  finish(): JsonProblem | undefined {
    return this.#problem ?? utf8Problem(this.#rest, this.#checkedBytes);
  }
}
