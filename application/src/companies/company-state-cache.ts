import {
  type CompanyState,
  decodeCompanyState,
  companyStateBytes,
  encodeCompanyState,
  managers,
  afterApproved,
  afterConfigured,
  afterEmployeeSet,
  afterGivenUp,
  afterHeld,
  afterHold,
  afterManagerRoles,
  afterQueued,
  companies,
  initialCompanyState,
} from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import {
  hasSoundDigest,
  type EmployeeSet,
  EmployeeSetBuilder,
  SetEventParser,
  readSetElement,
  SetMismatch,
} from '@rollcall/employee-lists/set';
import type { Fold, LoadedState, StateStore } from '../event-store/load-state.js';
import { isOlder, loadState, nextRevision } from '../event-store/load-state.js';
import { eventAt } from '../event-store/log-reading.js';
import { readSnapshot } from '../event-store/saved-states.js';
import type { StateSnapshots } from '../ports/state-snapshots.js';
import { BoundedCache } from '../bounded-cache.js';
import { importLimits } from '../ports/import-limits.js';
import type { EventReader } from '../ports/event-log.js';
import { SingleFlight } from '../concurrency.js';
import { setImmediate } from 'node:timers/promises';
import type { EventName } from '@rollcall/contracts';
import { fitting, type LoadedEvent } from '../event-store/loaded-event.js';

class CachedStates {
  readonly #states: BoundedCache<string, LoadedState<CompanyState>>;

  constructor(maxBytes: number) {
    this.#states = new BoundedCache({ most: maxBytes, sizeOf: ({ state }) => companyStateBytes(state) });
  }

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#states.get(stream);
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (!isOlder(loaded, this.get(stream))) this.#states.set(stream, loaded);
  }

  protected forget(stream: string): void {
    this.#states.delete(stream);
  }
}

interface CompanyStateCacheOptions {
  readonly snapshots: Pick<StateSnapshots, 'newest'>;
  readonly digester: Digester;
  readonly cacheBytes: number;
  /** Called when a snapshot, or its store, is unusable: folding then starts earlier. */
  readonly onUnusable?: (stream: string) => void;
}

/** A cache above the snapshots. Both may be stale: callers fold on or append (design: "Deciding", 1). */
export class CompanyStateCache extends CachedStates implements StateStore<CompanyState> {
  readonly #options: CompanyStateCacheOptions;

  constructor(options: CompanyStateCacheOptions) {
    super(options.cacheBytes);
    this.#options = options;
  }

  async snapshot(stream: string, behind: number): Promise<LoadedState<CompanyState> | undefined> {
    const { snapshots, digester } = this.#options;
    const decode = (bytes: Uint8Array): CompanyState | undefined => {
      const state = decodeCompanyState(bytes);
      return state && hasSoundDigest(state.employees, digester) ? state : undefined;
    };
    const found = await readSnapshot({ snapshots, decode }, stream, behind);
    if (found !== 'unusable') return found;
    this.unfit(stream);
    return undefined;
  }

  unfit(stream: string): void {
    this.#options.onUnusable?.(stream);
  }
}

const { employees, managerBytes, encodedBytes, cacheBytes } = importLimits.smallState;

const isSmall = (state: CompanyState): boolean =>
  state.employees.count <= employees && managers.stateBytes(state.managers) <= managerBytes;

export interface SharedState extends Pick<LoadedState<CompanyState>, 'head'> {
  readonly bytes: Uint8Array;
}

/** Undefined where the state is too large for another thread's `SmallCompanyStates`. */
export function stateToShare(loaded: LoadedState<CompanyState> | undefined): SharedState | undefined {
  if (loaded === undefined || !isSmall(loaded.state) || companyStateBytes(loaded.state) > encodedBytes)
    return undefined;
  return { head: loaded.head, bytes: encodeCompanyState(loaded.state) };
}

/** States for the event loop: decisions on them take a few milliseconds. Filled by the import threads and by decisions. */
export class SmallCompanyStates extends CachedStates implements StateStore<CompanyState> {
  constructor() {
    super(cacheBytes);
  }

  override put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (isSmall(loaded.state)) super.put(stream, loaded);
    else this.forget(stream);
  }

  /** `shared`: undefined where the thread's state is too large. */
  take(stream: string, shared: SharedState | undefined): void {
    const state = shared && decodeCompanyState(shared.bytes);
    if (shared === undefined || state === undefined) this.forget(stream);
    else super.put(stream, { state, head: shared.head });
  }
}

interface CompanyLoadsOptions {
  readonly log: EventReader;
  readonly digester: Digester;
  readonly states: CompanyStateCache;
}

export class CompanyLoads {
  readonly #options: CompanyLoadsOptions;
  readonly #flights = new Map<number, SingleFlight<CompanyState>>();

  constructor(options: CompanyLoadsOptions) {
    this.#options = options;
  }

  /** Includes everything that was in the log at the call. Returns the same object while nothing new is appended. */
  load(companyId: number): Promise<CompanyState> {
    const flight = this.#flights.get(companyId) ?? new SingleFlight(() => this.#read(`company-${companyId}`));
    this.#flights.set(companyId, flight);
    const loaded = flight.once();
    const ended = (): void => {
      if (flight.isIdle && this.#flights.get(companyId) === flight) this.#flights.delete(companyId);
    };
    loaded.then(ended, ended);
    return loaded;
  }

  async #read(stream: string): Promise<CompanyState> {
    const { log, digester, states } = this.#options;
    const known = states.get(stream);
    // The head may be large, so it is not read again. The append of a claim finds a log that went back.
    if (known && !(await eventAt(log, stream, nextRevision(known.head)))) return known.state;
    return (await loadState({ log, stream, fold: companyFold(digester), store: states })).state;
  }
}

export const companyFold = (digester: Digester): Fold<CompanyState> => ({
  initial: initialCompanyState,
  evolve: (state, event) => steps[event.name]?.(state, event, digester) ?? state,
});

export const onCompany = (
  { digester, states: store }: { readonly digester: Digester; readonly states: StateStore<CompanyState> },
  companyId: number,
) => ({ stream: `company-${companyId}`, fold: companyFold(digester), store });

type Step = (state: CompanyState, event: LoadedEvent, digester: Digester) => Promise<CompanyState>;

/** Of what the queue depends on, without a set of employees or managers. */
export const queueSteps: {
  readonly [N in EventName]?: (state: CompanyState, event: LoadedEvent) => Promise<CompanyState>;
} = {
  CompanyConfigured: async (state, event) => {
    const data = await event.data('CompanyConfigured');
    return afterConfigured(state, companies.evolve(state.settings, { name: 'CompanyConfigured', data }));
  },
  ImportQueued: async (state, event) => afterQueued(state, await event.data('ImportQueued'), event),
  ImportFailed: async (state, event) => afterGivenUp(state, (await event.data('ImportFailed')).operationId),
  ImportCancelled: async (state, event) =>
    afterGivenUp(state, (await event.data('ImportCancelled')).operationId),
  ImportRejected: async (state, event) =>
    afterGivenUp(state, (await event.data('ImportRejected')).operationId),
  ImportHeld: async (state, event) => afterHeld(state, await event.data('ImportHeld'), event),
  ImportApproved: async (state, event) =>
    afterApproved(state, (await event.data('ImportApproved')).operationId),
  InvitationsHeld: (state) => Promise.resolve(afterHold(state, true)),
  InvitationsReleased: (state) => Promise.resolve(afterHold(state, false)),
};

/** Other events of the stream do not affect decisions. */
const steps: { readonly [N in EventName]?: Step } = {
  ...queueSteps,
  EmployeeSetConfirmed: async (state, event) =>
    afterEmployeeSet(state, await event.data('EmployeeSetConfirmed'), state.employees, event),
  EmployeeSetReplaced: async (state, event, digester) => {
    const { summary, employees } = await fitting(event, () => replaced(state.employees, event, digester));
    return afterEmployeeSet(state, summary, employees, event);
  },
  ManagerRolesConfirmed: async (state, event) => {
    const data = await event.data('ManagerRolesConfirmed');
    return afterManagerRoles(state, { name: 'ManagerRolesConfirmed', data }, event);
  },
  ManagerRolesImported: async (state, event) => {
    const data = await event.data('ManagerRolesImported');
    return fitting(event, () => afterManagerRoles(state, { name: 'ManagerRolesImported', data }, event));
  },
};

async function replaced(before: EmployeeSet, event: LoadedEvent, digester: Digester) {
  const builder = new EmployeeSetBuilder(before, digester);
  const parser = new SetEventParser((kind, bytes, start) => {
    builder.apply(readSetElement(kind, bytes, start));
  });
  if (event.inline) parser.push(event.inline.text);
  else
    for await (const chunk of event.chunks()) {
      parser.push(chunk);
      // A chunk takes some milliseconds: yields to the event loop.
      await setImmediate();
    }
  const summary = parser.finish();
  const employees = builder.finish();
  if (employees.setDigest !== summary.setDigest || employees.count !== summary.total) {
    throw new SetMismatch('the set after the event is not the one that it tells');
  }
  return { summary, employees };
}
