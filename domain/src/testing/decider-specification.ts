import { strict as assert } from 'node:assert';
import type { Decision } from '../decision.js';

export interface Decider<C, S, E, R> {
  readonly initialState: () => S;
  readonly evolve: (state: S, event: E) => S;
  readonly decide: (command: C, state: S) => Decision<readonly E[], R>;
}

export interface Then<E, R> {
  readonly then: (...events: readonly E[]) => void;
  readonly thenRefused: (rejection: R) => void;
  /** Neither an event nor a refusal. */
  readonly thenNothing: () => void;
}

/** given(events).when(command).then(events): throws where the outcome differs. */
export function specify<C, S, E, R>(decider: Decider<C, S, E, R>) {
  return {
    given: (...history: readonly E[]) => ({
      when: (command: C): Then<E, R> => {
        const state = history.reduce(decider.evolve, decider.initialState());
        const decision = decider.decide(command, state);
        return {
          then: (...events) => assert.deepStrictEqual(decision, { kind: 'events', events }),
          thenRefused: (rejection) => assert.deepStrictEqual(decision, { kind: 'refused', rejection }),
          thenNothing: () => assert.deepStrictEqual(decision, { kind: 'nothing' }),
        };
      },
    }),
  };
}
