import { GrowingMap, type ApiUser, type ApiUsersState } from './evolve.js';

const FORMAT = 'api-users 1';

interface Encoded {
  readonly format: string;
  readonly users: readonly ApiUser[];
  readonly revokedUsers: readonly number[];
  readonly revokedTokens: readonly string[];
  readonly lastUserId: number;
}

export function encodeApiUsers(state: ApiUsersState): Uint8Array {
  const encoded: Encoded = {
    format: FORMAT,
    users: [...state.users.values()],
    revokedUsers: [...state.revokedUsers.keys()],
    revokedTokens: [...state.revokedTokens.keys()],
    lastUserId: state.lastUserId,
  };
  return new TextEncoder().encode(JSON.stringify(encoded));
}

/** Undefined for another format. */
export function decodeApiUsers(bytes: Uint8Array): ApiUsersState | undefined {
  const { format, ...encoded } = JSON.parse(new TextDecoder().decode(bytes)) as Encoded;
  if (format !== FORMAT) return undefined;
  return {
    users: mapOf(encoded.users.map((user) => [user.userId, user])),
    revokedUsers: mapOf(encoded.revokedUsers.map((userId) => [userId, true])),
    revokedTokens: mapOf(encoded.revokedTokens.map((jti) => [jti, true])),
    lastUserId: encoded.lastUserId,
  };
}

const mapOf = <K, V>(entries: readonly (readonly [K, V])[]): GrowingMap<K, V> =>
  new GrowingMap(entries.length > 0 ? [new Map(entries)] : []);
