import { eventData, type LoadedEvent } from '@rollcall/application/read';
import type { DomainEventOf, EventData, EventName } from '@rollcall/contracts';
import { recordedReason } from '@rollcall/domain';

type Cause = DomainEventOf<'ImportInterrupted'>['data']['cause'];

const causes: Readonly<Record<Cause, string>> = {
  outage: 'interrupted by an outage',
  stop: 'interrupted, the worker was told to end',
  overtaken: 'started by another worker too',
};

/** `Attempt 2: reading, 40 %`. */
const texts: { readonly [N in EventName]?: (data: EventData<N>) => string } = {
  ImportStarted: ({ attempt }) => `Attempt ${attempt}: started`,
  ImportInterrupted: ({ attempt, cause }) => `Attempt ${attempt}: ${causes[cause]}`,
  ImportProgressed: ({ attempt, stage, percent }) => `Attempt ${attempt}: ${stage}, ${percent} %`,
  ImportAttemptFailed: ({ attempt, problem }) => `Attempt ${attempt} failed: ${recordedReason(problem)}`,
};

export function attemptOf(name: EventName, data: unknown): string | undefined {
  const text = texts[name] as ((data: unknown) => string) | undefined;
  return text?.(data);
}

export const attemptText = async (event: LoadedEvent): Promise<string | undefined> =>
  texts[event.name] === undefined ? undefined : attemptOf(event.name, await eventData(event, event.name));
