import { shortened } from '@rollcall/employee-lists/text';

const maxErrors = 20;
const mostCharacters = 200;
const longestReason = 500;
const restOf = /^(?:\.\.\. )?and (\d+) more$/;

/** 20 errors of 200 characters, and the number of the others (docs/contract, "ApiCalls"). */
export function recordedErrors(errors: readonly string[]): string[] {
  const cut = errors.map((error) => shortened(error, mostCharacters));
  const counted = Number(restOf.exec(errors.at(-1) ?? '')?.[1] ?? 0);
  const shown = errors.length - (counted > 0 ? 1 : 0);
  if (shown <= maxErrors) return cut;
  return [...cut.slice(0, maxErrors), `... and ${shown - maxErrors + counted} more`];
}

export const recordedReason = (reason: string): string => shortened(reason, longestReason);
