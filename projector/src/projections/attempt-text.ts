import { eventData, type LoadedEvent } from '@rollcall/application/read';
import type { DomainEventOf, EventName } from '@rollcall/contracts';
import { recordedReason } from '@rollcall/domain';

type Cause = DomainEventOf<'ImportInterrupted'>['data']['cause'];

const causes: Readonly<Record<Cause, string>> = {
  outage: 'interrupted by an outage',
  stop: 'interrupted, the worker was told to end',
  overtaken: 'started by another worker too',
};

/** An attempt's events, and what is told of each: `Attempt 2: reading, 40 %`. */
const texts: { readonly [N in EventName]?: (event: LoadedEvent) => Promise<string> } = {
  ImportStarted: async (event) => {
    const { attempt } = await eventData(event, 'ImportStarted');
    return `Attempt ${attempt}: started`;
  },
  ImportInterrupted: async (event) => {
    const { attempt, cause } = await eventData(event, 'ImportInterrupted');
    return `Attempt ${attempt}: ${causes[cause]}`;
  },
  ImportProgressed: async (event) => {
    const { attempt, stage, percent } = await eventData(event, 'ImportProgressed');
    return `Attempt ${attempt}: ${stage}, ${percent} %`;
  },
  ImportAttemptFailed: async (event) => {
    const { attempt, problem } = await eventData(event, 'ImportAttemptFailed');
    return `Attempt ${attempt} failed: ${recordedReason(problem)}`;
  },
};

/** What an event tells of an attempt at an import, for a person; undefined for any other event. */
export const attemptText = (event: LoadedEvent): Promise<string | undefined> =>
  texts[event.name]?.(event) ?? Promise.resolve(undefined);
