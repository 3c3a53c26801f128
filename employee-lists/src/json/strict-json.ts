import { JsonScanner, type JsonProblem, maxJsonDepth } from './json-scanner.js';
import { utf8Problem } from './utf8.js';

export type StrictJsonResult =
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
  const value: unknown = JSON.parse(decoder.decode(bytes));
  return { ok: true, value };
}

export const describeJsonProblem = (problem: JsonProblem): string =>
  `The body is not valid JSON: ${problem.what} at byte ${problem.at}`;
