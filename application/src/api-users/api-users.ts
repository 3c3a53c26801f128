import type { CallContext } from '@rollcall/contracts';
import { apiUsers, companyStateVersion } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { type Fold, loadState, type LoadedState, type StateStore } from '../event-store/load-state.js';
import { type LoadedEvent, ownEvent } from '../event-store/loaded-event.js';
import type { DamageFinder, EventReader } from '../ports/event-log.js';
import type { StateSnapshots } from '../ports/state-snapshots.js';
import { readCompanySettings } from '../companies/companies.js';
import { isOutage } from '../ports/problems.js';

/** Folded in some 20 ms. */
const leastTailEvents = 1_000;

/** Snapshots of the stream `api-users`. A process that folds a long tail writes the next one (design: "Deciding", 1). */
export class ApiUsersStates implements StateStore<apiUsers.ApiUsersState> {
  readonly #snapshots: Pick<StateSnapshots, 'newest' | 'put'>;
  readonly #onUnwritten: (error: unknown) => void;
  #saved = 0;
  #writing: Promise<void> = Promise.resolve();

  /** `onUnwritten`: the next reader folds more, and nothing else is lost. */
  constructor(
    snapshots: Pick<StateSnapshots, 'newest' | 'put'>,
    onUnwritten: (error: unknown) => void = () => undefined,
  ) {
    this.#snapshots = snapshots;
    this.#onUnwritten = onUnwritten;
  }

  get(): undefined {
    return undefined;
  }

  async snapshot(stream: string, behind: number): Promise<LoadedState<apiUsers.ApiUsersState> | undefined> {
    const found = await this.#snapshots.newest(stream, companyStateVersion).catch(unlessOutage);
    if (found === undefined || found === 'unusable' || found.revision <= behind) return undefined;
    const state = apiUsers.decodeApiUsers(found.bytes);
    if (state === undefined) return undefined;
    const { revision, chain, recordedAt } = found;
    this.#saved = revision;
    return { state, head: { revision, chain, recordedAt } };
  }

  unfit(): void {
    this.#saved = 0;
  }

  put(stream: string, { state, head }: LoadedState<apiUsers.ApiUsersState>): void {
    const { revision, chain, recordedAt } = head;
    if (revision === 'no-stream' || recordedAt === null) return;
    if (revision - this.#saved < Math.max(leastTailEvents, this.#saved / 4)) return;
    this.#saved = revision;
    const bytes = apiUsers.encodeApiUsers(state);
    const snapshot = { stream, revision, stateVersion: companyStateVersion, chain, recordedAt, bytes };
    this.#writing = this.#writing.then(() => this.#snapshots.put(snapshot)).catch(this.#onUnwritten);
  }

  /** Resolves when no snapshot is being written. */
  settled(): Promise<void> {
    return this.#writing;
  }
}

function unlessOutage(error: unknown): undefined {
  if (!isOutage(error)) throw error;
  return undefined;
}

export const apiUsersStream = 'api-users';

const names = ['ApiUserCreated', 'ApiUserRevoked', 'ApiTokenRevoked'] as const;

/** An unknown event on `api-users` is an error: it could be a revocation. */
export const apiUsersFold: Fold<apiUsers.ApiUsersState> = {
  initial: apiUsers.initialState,
  evolve: async (state, event) => apiUsers.evolve(state, await ownEvent(event, names)),
};

export interface ApiUsersReader {
  readonly log: EventReader & DamageFinder;
  /** Without them the whole stream is read. */
  readonly snapshots?: Pick<StateSnapshots, 'newest' | 'put'>;
}

export async function readApiUsers({ log, snapshots }: ApiUsersReader): Promise<apiUsers.ApiUsersState> {
  const store = snapshots && new ApiUsersStates(snapshots);
  const { state } = await loadState({ log, stream: apiUsersStream, fold: apiUsersFold, store });
  await store?.settled();
  return state;
}

type UsersDeps = DecideAndAppendDeps & Pick<ApiUsersReader, 'snapshots'>;

type UsersChanged =
  | {
      readonly kind: 'done';
      readonly events: readonly LoadedEvent[];
      readonly state: apiUsers.ApiUsersState;
    }
  | { readonly kind: 'refused'; readonly rejection: apiUsers.ApiUserRejection };

async function change(
  deps: UsersDeps,
  context: CallContext,
  command: apiUsers.ApiUserCommand,
): Promise<UsersChanged> {
  const store = deps.snapshots && new ApiUsersStates(deps.snapshots);
  const outcome = await decideAndAppend<apiUsers.ApiUsersState, apiUsers.ApiUserRejection>(deps, {
    stream: apiUsersStream,
    context,
    fold: apiUsersFold,
    ...(store && { store }),
    decide: (state) => apiUsers.decide(command, state),
  });
  await store?.settled();
  if (outcome.kind === 'refused') return { kind: 'refused', rejection: outcome.rejection };
  const events = outcome.kind === 'appended' ? outcome.events : [];
  return { kind: 'done', events, state: outcome.loaded.state };
}

type UserAdded =
  | { readonly kind: 'added'; readonly user: apiUsers.ApiUser }
  | {
      readonly kind: 'refused';
      readonly rejection: apiUsers.ApiUserRejection | { readonly reason: 'company-unconfigured' };
    };

export async function addApiUser(
  deps: UsersDeps,
  context: CallContext,
  command: Omit<apiUsers.AddApiUser, 'kind'>,
): Promise<UserAdded> {
  const company = await readCompanySettings(deps.log, command.companyId);
  if (company.status === 'unconfigured')
    return { kind: 'refused', rejection: { reason: 'company-unconfigured' } };
  const outcome = await change(deps, context, { kind: 'add', ...command });
  if (outcome.kind === 'refused') return outcome;
  const [event] = outcome.events;
  const created = event && (await event.data('ApiUserCreated'));
  const user = created && outcome.state.users.get(created.userId);
  if (!user) throw new TypeError('A user was added and is not there.');
  return { kind: 'added', user };
}

export const revokeApiUser = (deps: UsersDeps, context: CallContext, userId: number): Promise<UsersChanged> =>
  change(deps, context, { kind: 'revoke', userId });

/** Refuses one token from now on, wherever it was issued. */
export const revokeToken = (deps: UsersDeps, context: CallContext, jti: string): Promise<UsersChanged> =>
  change(deps, context, { kind: 'revoke-token', jti });
