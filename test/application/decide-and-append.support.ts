import {
  decideStep,
  EventLogUnavailable,
  foldStream,
  type AppendResult,
  type Clock,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  type Fold,
  type LoadedState,
  type NewEvent,
  type Outcome,
  type PreparedEvents,
  type StateStore,
  type StepRequest,
} from '@rollcall/application';
import { openEmbeddedEventLog } from '@rollcall/adapters';

import type { CallContext } from '@rollcall/contracts';
import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';

/** One append as the script wants it: as it is, lost on the way there, lost on the way back, or something first. */
export type Step = 'through' | 'lost before' | 'lost after' | (() => Promise<unknown>);

export interface ScriptedLog extends EventLog {
  /** What happens to the next appends; then all go through. */
  script: Step[];
  readonly appends: { stream: string; expected: ExpectedRevision; ids: string[]; outcome: string }[];
}

/** A real log whose appends go wrong as the script says. */
export async function scriptedLog(t: Pick<Test, 'testdir' | 'teardown'>): Promise<ScriptedLog> {
  const log = await openEmbeddedEventLog({ folder: t.testdir(), sync: false });
  t.teardown(() => log.close());
  return scripted(log);
}

/** The same log, but its appends go wrong as the script says. */
export function scripted(log: EventLog): ScriptedLog {
  const made: ScriptedLog = {
    ...log,
    script: [],
    appends: [],
    append: async (stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]) => {
      const step = made.script.shift() ?? 'through';
      const ids = events.map((event) => event.id);
      const entry = { stream, expected, ids, outcome: 'unknown' };
      made.appends.push(entry);
      if (step === 'lost before') throw new EventLogUnavailable('lost before');
      if (typeof step === 'function') await step();
      const result: AppendResult = await log.append(stream, expected, events);
      if (step === 'lost after') throw new EventLogUnavailable('lost after');
      entry.outcome = result.outcome;
      return result;
    },
  };
  return made;
}

export const clockAt = (iso: string): Clock => ({ now: () => Date.parse(iso) });

export const noSleep = (): Promise<void> => Promise.resolve();

export const callContext = (change: Partial<CallContext> = {}): CallContext => ({
  companyId: 7,
  operationId: randomUUID(),
  userId: 42,
  username: 'HR system',
  causationId: null,
  receivedAt: '2026-11-21T08:00:00.000Z',
  ...change,
});

/** The names of the events folded, with the revoked token ids and the numbers of users. */
export type Names = readonly string[];

export const namesFold: Fold<Names> = {
  initial: () => [],
  evolve: async (state, event) => [...state, `${event.name} ${JSON.stringify(await event.json())}`],
};

export const tokenRevoked = (jti: string): NewEvent => ({ name: 'ApiTokenRevoked', data: { jti } });

export const stateText = (jti: string): string => `ApiTokenRevoked {"jti":"${jti}"}`;

/** A store of states that keeps what the test puts there. */
export function memoryStore<S>(): StateStore<S> & { readonly kept: Map<string, LoadedState<S>> } {
  const kept = new Map<string, LoadedState<S>>();
  return {
    kept,
    get: (stream) => kept.get(stream),
    put: (stream, loaded) => void kept.set(stream, loaded),
  };
}

export const STREAM = 'api-users';
export const clock = clockAt('2026-11-21T09:00:00Z');

export type Request = StepRequest<Names, string>;

export const revoke = (jti: string, change: Partial<Request> = {}): Request => ({
  stream: STREAM,
  context: callContext(),
  fold: namesFold,
  decide: () => ({ kind: 'events', events: [tokenRevoked(jti)] }),
  ...change,
});

/** As `revoke`, with what happens around the append. */
export const prepared = (
  jti: string,
  around: Omit<PreparedEvents<Names>, 'kind' | 'events'>,
  change: Partial<Request> = {},
): Request =>
  revoke(jti, { decide: () => ({ kind: 'events', events: [tokenRevoked(jti)], ...around }), ...change });

export const run = (log: EventLog, request: Request): Promise<Outcome<Names, string>> =>
  decideStep({ log, clock, sleep: noSleep }, request);

/** Another process, which appends in between. */
export const another =
  (log: EventLog, jti: string, change: Partial<Request> = {}) =>
  () =>
    run(log, revoke(jti, change));

export function appended(outcome: Outcome<Names, string>) {
  if (outcome.kind !== 'appended') throw new Error(`the outcome is ${outcome.kind}`);
  return outcome;
}

export async function stored(log: EventLog): Promise<Names> {
  return (await foldStream(log, STREAM, namesFold)).state;
}
