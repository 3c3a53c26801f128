import type { CallContext } from '@rollcall/contracts';
import { apiUsers } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { type Fold, loadState } from '../event-store/load-state.js';
import { ownEvent } from '../event-store/loaded-event.js';
import { SavedStates, SHORT_TAIL, type SavedStatesReader } from '../event-store/saved-states.js';
import { readCompanySettings } from '../companies/companies.js';

/** The state grows with the stream: a snapshot of it is written rarely then. */
export const apiUsersStates = (of: Omit<SavedStatesReader, 'log'>): SavedStates<apiUsers.ApiUsersState> =>
  new SavedStates({
    ...{ snapshots: of.snapshots, logger: of.logger },
    ...{ encode: apiUsers.encodeApiUsers, decode: apiUsers.decodeApiUsers },
    leastTail: (saved) => Math.max(SHORT_TAIL, saved / 4),
  });

export const apiUsersStream = 'api-users';

const names = ['ApiUserCreated', 'ApiUserRevoked', 'ApiTokenRevoked'] as const;

/** An unknown event on `api-users` is an error: it could be a revocation. */
export const apiUsersFold: Fold<apiUsers.ApiUsersState> = {
  initial: apiUsers.initialState,
  evolve: async (state, event) => apiUsers.evolve(state, await ownEvent(event, names)),
};

export async function readApiUsers(reader: SavedStatesReader): Promise<apiUsers.ApiUsersState> {
  const store = apiUsersStates(reader);
  const { state } = await loadState({ log: reader.log, stream: apiUsersStream, fold: apiUsersFold, store });
  await store.settled();
  return state;
}

type UsersDeps = DecideAndAppendDeps & Omit<SavedStatesReader, 'log'>;

async function change(deps: UsersDeps, context: CallContext, command: apiUsers.ApiUserCommand) {
  const store = apiUsersStates(deps);
  const outcome = await decideAndAppend<apiUsers.ApiUsersState, apiUsers.ApiUserRejection>(deps, {
    stream: apiUsersStream,
    context,
    fold: apiUsersFold,
    store,
    decide: (state) => apiUsers.decide(command, state),
  });
  await store.settled();
  if (outcome.kind === 'refused') return outcome;
  const events = outcome.kind === 'appended' ? outcome.events : [];
  return { kind: 'done', events, state: outcome.loaded.state } as const;
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

export const revokeApiUser = (deps: UsersDeps, context: CallContext, userId: number) =>
  change(deps, context, { kind: 'revoke', userId });

/** Refuses one token from now on, wherever it was issued. */
export const revokeToken = (deps: UsersDeps, context: CallContext, jti: string) =>
  change(deps, context, { kind: 'revoke-token', jti });
