import type { CallContext, DomainEventOf, PersonalDataRead } from '@rollcall/contracts';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import type { Fold, LoadedState } from '../event-store/load-state.js';

/** By API user or operator (null: everyone else): the minute of the last event. */
type LastMinutes = ReadonlyMap<number | string | null, string>;

const whoOf = ({ userId, username }: Pick<CallContext, 'userId' | 'username'>): number | string | null =>
  userId ?? (username.startsWith('operator:') ? username : null);

const minutesFold: Fold<LastMinutes> = {
  initial: () => new Map(),
  evolve: (minutes, { metadata }) => new Map(minutes).set(whoOf(metadata), minuteOf(metadata.recordedAt)),
  touches: () => true,
};

const minuteOf = (moment: string): string => moment.slice(0, 'yyyy-mm-ddThh:mm'.length);
const dayOf = (moment: string): string => moment.slice(0, 'yyyy-mm-dd'.length).replaceAll('-', '');

export type AccessEvent = DomainEventOf<'PersonalDataRead' | 'AuthenticationsRefused'>;

const readsStream = (companyId: number, day: string): string => `reads-${companyId}-${dayOf(day)}`;
const refusalsStream = (day: string): string => `refusals-${dayOf(day)}`;

/** Appends to the streams of a day, and remembers their state until the next day. */
export class AccessLog {
  readonly #deps: DecideAndAppendDeps;
  #day = '';
  readonly #states = new Map<string, LoadedState<LastMinutes>>();

  constructor(deps: DecideAndAppendDeps) {
    this.#deps = deps;
  }

  get now(): string {
    return new Date(this.#deps.clock.now()).toISOString();
  }

  /** False where another process has recorded the same user in this minute, unless `always`. `EventLogUnavailable`. */
  async record(context: CallContext, event: AccessEvent, always = false, now = this.now): Promise<boolean> {
    if (dayOf(now) !== this.#day) this.#states.clear();
    this.#day = dayOf(now);
    const { companyId } = context;
    const stream = companyId === null ? refusalsStream(now) : readsStream(companyId, now);
    const outcome = await decideAndAppend<LastMinutes, never>(this.#deps, {
      stream,
      context,
      fold: minutesFold,
      // What is recorded whatever others have may be a repeat.
      isFresh: !always,
      store: {
        get: (name) => this.#states.get(name),
        put: (name, loaded) => void this.#states.set(name, loaded),
      },
      decide: (minutes) =>
        !always && minutes.get(whoOf(context)) === minuteOf(now)
          ? { kind: 'nothing' }
          : { kind: 'events', events: [event] },
    });
    return outcome.kind === 'appended';
  }
}

/** A command that shows personal values: recorded before it shows any. */
export async function recordReveal(
  deps: DecideAndAppendDeps,
  context: CallContext,
  read: Pick<PersonalDataRead['reads'][number], 'what' | 'rows'>,
): Promise<void> {
  const { operationId: requestId, receivedAt } = context;
  const reads = [{ ...read, calls: 1, requestId }];
  const data = { from: receivedAt, until: receivedAt, reads };
  await new AccessLog(deps).record(context, { name: 'PersonalDataRead', data }, true);
}
