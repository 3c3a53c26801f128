import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

/** Less is left where it is. */
const LEAST_BYTES = 8 * 1024 * 1024;

let known: Collect | undefined;

/** What the typed arrays of this thread hold, those that nobody needs any more among them. */
export const heldBytes = (): number => process.memoryUsage().arrayBuffers;

/**
 * To be called by a thread in the midst of large work, again and again. Its lists are few objects with much memory behind them: left
 * to itself, V8 looks for those that nobody needs any more when there are 32 MB of young ones. Costs half a millisecond.
 */
export function collectYoung(): void {
  collector()({ type: 'minor' });
}

/**
 * To be called by a thread of few objects when work is done; `before` is what was held before it. Where that has grown by much, all that
 * nobody needs any more is looked for: it would weigh as much for hours, until the next large work. Costs some 10 ms.
 */
export function collectLeftovers(before: number): void {
  if (heldBytes() >= before + LEAST_BYTES) collector()();
}

function collector(): Collect {
  known ??= exposed();
  return known;
}

function exposed(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return found as Collect;
}
