import { recordedErrors } from '@rollcall/domain';
import type { Clock } from '../ports/clock.js';
import { decideAndAppend } from '../event-store/decide-and-append.js';
import { initialState, type Fold } from '../event-store/fold.js';
import type { EventLog } from '../ports/event-log.js';
import type { RefusedCall, Written } from '../ports/imports.js';
import { writtenOf } from '../read-model-wait.js';

const nothing: Fold<null> = { initial: () => null, evolve: () => null };

/** The only trace of a refused call: its ApiCalls row (docs/contract, "ApiCalls"). */
export async function recordRefusal(
  deps: { readonly log: EventLog; readonly clock: Clock },
  call: RefusedCall,
  errors: readonly string[],
): Promise<Written> {
  const { operationId } = call.context;
  const outcome = await decideAndAppend(deps, {
    stream: `operation-${operationId}`,
    context: call.context,
    fold: nothing,
    // The call has an operation of its own, and this is its only event.
    store: { get: () => initialState(nothing), put: () => undefined },
    fromMemory: true,
    isFresh: true,
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
            validationErrors: recordedErrors(errors),
          },
        },
      ],
    }),
  });
  if (outcome.kind !== 'appended') throw new Error('a refusal is always recorded');
  return writtenOf(outcome.events);
}
