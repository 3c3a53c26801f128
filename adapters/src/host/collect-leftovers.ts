import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

/** Less is left where it is. */
const LEAST_BYTES = 4 * 1024 * 1024;

let collect: Collect | undefined;

/** What the typed arrays of this thread hold, those that nobody needs any more among them. */
export const heldBytes = (): number => process.memoryUsage().arrayBuffers;

/**
 * To be called by a thread when large work is done; `before` is what was held before it, and it is left alone where that has grown
 * by little. The lists of a large import are few objects with much memory behind them: left to itself, V8 looks for those that
 * nobody needs any more when there are 32 MB of them. Costs half a millisecond.
 */
export function collectLeftovers(before = -Infinity): void {
  if (heldBytes() < before + LEAST_BYTES) return;
  collect ??= exposed();
  collect({ type: 'minor' });
}

function exposed(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return found as Collect;
}
