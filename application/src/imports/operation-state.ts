import { eventData, type LoadedEvent } from '../event-store/loaded-event.js';
import type { Fold } from '../event-store/fold.js';

export interface FailedAttempt {
  readonly attempt: number;
  readonly problem: string;
}

export interface OperationState {
  readonly failures: readonly FailedAttempt[];
  readonly ids: ReadonlySet<string>;
  readonly starts: number;
  /** Ids of starts that may have ended their process, in order: no failed attempt or interruption follows them. */
  readonly open: readonly string[];
}

type Evolve = (state: OperationState, event: LoadedEvent) => Promise<Partial<OperationState>>;

const evolutions: Readonly<Record<string, Evolve>> = {
  ImportStarted: ({ starts, open }, { id }) => Promise.resolve({ starts: starts + 1, open: [...open, id] }),
  ImportInterrupted: async ({ open }, event) => {
    const { startId } = await eventData(event, 'ImportInterrupted');
    return { open: open.filter((id) => id !== startId) };
  },
  // The newest start reported the failure, so it did not end its process.
  ImportAttemptFailed: async ({ failures, open }, event) => {
    const { attempt, problem } = await eventData(event, 'ImportAttemptFailed');
    return { failures: [...failures, { attempt, problem }], open: open.slice(0, -1) };
  },
};

export const operationFold: Fold<OperationState> = {
  initial: () => ({ failures: [], ids: new Set(), starts: 0, open: [] }),
  evolve: async (state, event) => ({
    ...state,
    ids: new Set(state.ids).add(event.id),
    ...(await evolutions[event.name]?.(state, event)),
  }),
};
