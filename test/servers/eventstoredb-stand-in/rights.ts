import type { Metadata } from '@grpc/grpc-js';
import { accessDenied, notAuthenticated, type Failure } from './errors.js';
import type { Store } from './store.js';
import { isMetastream } from './streams.js';

export interface User {
  readonly name: string;
  readonly password: string;
  /** A member of `$admins`, who may do everything. */
  readonly isAdmin: boolean;
}

/** Why this caller may not do something; a server without users refuses nobody. */
export interface Caller {
  refusal(store: Store, action: Action, stream: string): Failure | undefined;
}

export type Action = 'read' | 'write' | 'delete';

const EVERYBODY = '$all';
const ADMINS = '$admins';

/** The server's own lists, where neither the stream's nor `$settings` say otherwise. */
const OF_USERS = [EVERYBODY];
const OF_SYSTEM = [ADMINS];

const MEMBERS: Readonly<Record<Action, string>> = { read: '$r', write: '$w', delete: '$d' };
const METADATA_MEMBERS: Readonly<Record<Action, string>> = { read: '$mr', write: '$mw', delete: '$mw' };

type AccessList = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Passwords and access lists. Lists are read from the log: `$acl` in a stream's metadata, the defaults in `$settings`. */
export class Rights {
  readonly #users: Map<string, User>;

  constructor(users: readonly User[]) {
    this.#users = new Map(users.map((user) => [user.name, user]));
  }

  /** From now on; calls under way go on. */
  setPassword(name: string, password: string): void {
    const user = this.#users.get(name);
    if (user !== undefined) this.#users.set(name, { ...user, password });
  }

  /** Who makes a call, by the password of the moment at which it begins. */
  callerOf(metadata: Metadata): Caller {
    if (this.#users.size === 0) return { refusal: () => undefined };
    const [sent] = metadata.get('authorization');
    if (sent === undefined) return { refusal: accessDenied };
    const user = this.#userOf(String(sent));
    if (user === undefined) return { refusal: notAuthenticated };
    return {
      refusal: (store, action, stream) =>
        user.isAdmin || isAllowed(store, user.name, action, stream) ? undefined : accessDenied(),
    };
  }

  /** Whether a call has no password, or the right one. */
  isKnown(metadata: Metadata): boolean {
    const [sent] = metadata.get('authorization');
    return this.#users.size === 0 || sent === undefined || this.#userOf(String(sent)) !== undefined;
  }

  #userOf(sent: string): User | undefined {
    const [name = '', ...password] = Buffer.from(sent.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const user = this.#users.get(name);
    return user?.password === password.join(':') ? user : undefined;
  }
}

function isAllowed(store: Store, user: string, action: Action, stream: string): boolean {
  const isMeta = isMetastream(stream);
  const owner = isMeta ? stream.slice(2) : stream;
  const member = (isMeta ? METADATA_MEMBERS : MEMBERS)[action];
  const allowed = listOf(store, owner)?.[member] ?? defaultOf(store, owner, member);
  return [allowed].flat().some((role) => role === EVERYBODY || role === user);
}

function defaultOf(store: Store, owner: string, member: string): string | readonly string[] {
  const isSystem = owner.startsWith('$');
  const settings = lastJson(store, '$settings')?.[isSystem ? '$systemStreamAcl' : '$userStreamAcl'];
  return settings?.[member] ?? (isSystem ? OF_SYSTEM : OF_USERS);
}

const listOf = (store: Store, stream: string): AccessList | undefined =>
  lastJson(store, `$$${stream}`)?.['$acl'];

function lastJson(
  store: Store,
  stream: string,
): Readonly<Record<string, AccessList | undefined>> | undefined {
  const last = store.line(stream)?.events.at(-1);
  if (last === undefined) return undefined;
  return JSON.parse(Buffer.from(store.body(last).data).toString()) as Record<string, AccessList>;
}
