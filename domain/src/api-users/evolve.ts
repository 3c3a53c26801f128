import type { ApiUserCreated, DomainEventOf, ApiRole } from '@rollcall/contracts';

export interface ApiUser {
  readonly status: 'active' | 'revoked';
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

export interface ApiUsersState {
  readonly users: GrowingMap<number, ApiUser>;
  /** May hold ids that are not among `users`. */
  readonly revokedUsers: GrowingMap<number, true>;
  /** `jti` of the tokens that are refused. */
  readonly revokedTokens: GrowingMap<string, true>;
  /** The highest id ever given; 0 before the first. */
  readonly lastUserId: number;
}

export const initialState = (): ApiUsersState => ({
  users: new GrowingMap(),
  revokedUsers: new GrowingMap(),
  revokedTokens: new GrowingMap(),
  lastUserId: 0,
});

/** The log only revokes: an id that it does not know is valid by signature and claims. */
export const isTokenRevoked = (state: ApiUsersState, token: { userId: number; jti: string }): boolean =>
  state.revokedUsers.has(token.userId) || state.revokedTokens.has(token.jti);

export type ApiUsersEvent = DomainEventOf<'ApiUserCreated' | 'ApiUserRevoked' | 'ApiTokenRevoked'>;

function created(state: ApiUsersState, data: ApiUserCreated): ApiUsersState {
  const user = { ...data, status: state.revokedUsers.has(data.userId) ? 'revoked' : 'active' } as const;
  return {
    ...state,
    users: state.users.with(data.userId, user),
    lastUserId: Math.max(state.lastUserId, data.userId),
  };
}

function revoked(state: ApiUsersState, userId: number): ApiUsersState {
  const user = state.users.get(userId);
  return {
    ...state,
    users: user ? state.users.with(userId, { ...user, status: 'revoked' }) : state.users,
    revokedUsers: state.revokedUsers.with(userId, true),
  };
}

export function evolve(state: ApiUsersState, event: ApiUsersEvent): ApiUsersState {
  switch (event.name) {
    case 'ApiUserCreated':
      return created(state, event.data);
    case 'ApiUserRevoked':
      return revoked(state, event.data.userId);
    case 'ApiTokenRevoked':
      return { ...state, revokedTokens: state.revokedTokens.with(event.data.jti, true) };
    default:
      return event satisfies never;
  }
}

/** Immutable. Levels of falling size are merged like a log-structured tree: n additions copy each entry log n times. */
export class GrowingMap<K, V> {
  readonly levels: readonly ReadonlyMap<K, V>[];

  constructor(levels: readonly ReadonlyMap<K, V>[] = []) {
    this.levels = levels;
  }

  has(key: K): boolean {
    return this.levels.some((level) => level.has(key));
  }

  get(key: K): V | undefined {
    return this.levels.findLast((level) => level.has(key))?.get(key);
  }

  with(key: K, value: V): GrowingMap<K, V> {
    const levels: ReadonlyMap<K, V>[] = [...this.levels];
    let last: ReadonlyMap<K, V> = new Map([[key, value]]);
    for (let before = levels.at(-1); before && before.size <= last.size; before = levels.at(-1)) {
      last = new Map([...before, ...last]);
      levels.pop();
    }
    return new GrowingMap([...levels, last]);
  }

  /** In order of insertion. */
  keys(): Iterable<K> {
    return this.#all().keys();
  }

  values(): Iterable<V> {
    return this.#all().values();
  }

  #all(): Map<K, V> {
    return new Map(this.levels.flatMap((level) => [...level]));
  }
}
