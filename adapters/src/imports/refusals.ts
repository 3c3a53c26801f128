import type { Clock } from '../clock.js';
import { decideAndAppend } from '../event-log/decide-and-append.js';
import type { Fold } from '../event-log/fold.js';
import type { EventLog } from '../event-log/port.js';
import type { RefusedCall } from './port.js';

/** Nothing is decided by what stands on an operation's stream. */
const nothing: Fold<null> = { initial: () => null, evolve: () => null };

/** The one trace that a refused call leaves: its ApiCalls row (docs/contract, "ApiCalls"). Gives its place in the log. */
export async function recordRefusal(
  deps: { readonly log: EventLog; readonly clock: Clock },
  call: RefusedCall,
  errors: readonly string[],
): Promise<bigint> {
  const { operationId } = call.context;
  const outcome = await decideAndAppend(deps, {
    stream: `operation-${operationId}`,
    context: call.context,
    fold: nothing,
    decide: () => ({
      kind: 'events',
      events: [
        {
          name: 'ImportRefused',
          data: {
            operationId,
            method: call.method,
            status: call.status,
            bodySha256: call.bodySha256,
            validationErrors: [...errors],
          },
        },
      ],
    }),
  });
  if (outcome.kind !== 'appended') throw new Error('a refusal is always recorded');
  return outcome.position;
}
