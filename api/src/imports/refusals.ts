import { type Clock, decideAndAppend, type EventLog, type Fold } from '@rollcall/adapters';
import type { CallContext } from '@rollcall/contracts';

/** A call that was refused, as its ApiCalls row tells of it. */
export interface RefusedCall {
  readonly context: CallContext;
  readonly method: string;
  /** Hex; null where the body was not received whole. */
  readonly bodySha256: string | null;
}

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
            status: 400,
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
