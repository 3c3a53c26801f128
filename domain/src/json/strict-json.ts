import { JsonScanner, type JsonProblem } from './json-scanner.js';
import { utf8Problem } from './utf8.js';

export type StrictJsonResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses JSON text in UTF-8 as RFC 8259 has it, and refuses besides: invalid UTF-8, a byte order mark, NUL and lone
 * surrogates (raw or escaped), a member name twice in one object, `__proto__`, `prototype` inside `constructor`, and
 * more than 64 levels. The problem tells the byte position and the rule, and never repeats a byte of the body.
 * `bytes` must not lie on shared memory.
 */
export function parseStrictJson(bytes: Uint8Array): StrictJsonResult {
  const problem = utf8Problem(bytes) ?? new JsonScanner(bytes).scan();
  if (problem) return { ok: false, problem };
  const value: unknown = JSON.parse(decoder.decode(bytes));
  return { ok: true, value };
}

/** The problem as a sentence for `ValidationErrors`. */
export const describeJsonProblem = (problem: JsonProblem): string =>
  `The body is not valid JSON: ${problem.what} at byte ${problem.at}`;
