import { shortened } from '../text/code-points.js';

const mostErrors = 20;
const mostCharacters = 200;
const longestReason = 500;
const restOf = /^(?:\.\.\. )?and (\d+) more$/;

/**
 * What the log and the ApiCalls row keep of a refusal: the first 20 errors, cut to 200 characters each, and the number of
 * the rest (docs/contract, "ApiCalls"), which the last of the errors may tell already.
 */
export function recordedErrors(errors: readonly string[]): string[] {
  const cut = errors.map((error) => shortened(error, mostCharacters));
  const counted = Number(restOf.exec(errors.at(-1) ?? '')?.[1] ?? 0);
  const told = errors.length - (counted > 0 ? 1 : 0);
  if (told <= mostErrors) return cut;
  return [...cut.slice(0, mostErrors), `... and ${told - mostErrors + counted} more`];
}

/** The same for the one line that says why an import, or an attempt at it, failed. */
export const recordedReason = (reason: string): string => shortened(reason, longestReason);
