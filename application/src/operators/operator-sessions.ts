import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type CallContext, type Operator, type OperatorLink, isOperatorLink } from '@rollcall/contracts';
import { operators } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import { ownEvent } from '../event-store/loaded-event.js';
import { BoundedCache } from '../bounded-cache.js';
import { unlessCorrupt, type EventReader, type StreamAdmin } from '../ports/event-log.js';
import { calledAt } from '../read-models/call-row.js';

/** Signs links, cookies and forms of the operations page; it follows from the installation's key. */
export const operatorKey = (digestKey: Uint8Array): Uint8Array =>
  createHmac('sha256', digestKey).update('rollcall: operations page').digest();

/** `purpose` keeps a signature for one thing from being one for another. */
const signatureOf = (
  key: Uint8Array,
  purpose: 'link' | 'session' | 'cookie' | 'form',
  text: string,
): string => createHmac('sha256', key).update(`${purpose}/${text}`).digest('base64url');

function isSignature(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export function signOperatorLink(key: Uint8Array, signed: OperatorLink): string {
  const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
  return `${text}.${signatureOf(key, 'link', text)}`;
}

/** Undefined for one that is altered, of another installation, or expired. Whether it was used, the log says. */
export function readOperatorLink(key: Uint8Array, token: string, now: number): OperatorLink | undefined {
  const [text = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isSignature(signature, signatureOf(key, 'link', text))) return undefined;
  const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
  return isOperatorLink(value) && now < value.expiresAt ? value : undefined;
}

const maxIdleMs = 30 * 60_000;
/** A sign-out at another replica is known after this. */
const freshMs = 3_000;
const renewMs = 60_000;
const cachedSessions = 1_000;

type Opened = Exclude<operators.OperatorSession, { status: 'none' }> & { readonly since: number };
type Folded = { readonly status: 'none' } | Opened;

const sessionFold: Fold<Folded> = {
  initial: () => ({ status: 'none' }),
  evolve: async (state, event) => {
    const next = operators.evolve(state, await ownEvent(event, ['OperatorSignedIn', 'OperatorSignedOut']));
    if (next.status === 'none') return next;
    return { ...next, since: state.status === 'none' ? Date.parse(event.metadata.recordedAt) : state.since };
  },
};

const operatorPrefix = 'operator-';
const operatorStream = (linkId: string): string => operatorPrefix + linkId;

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface OpenSession {
  readonly linkId: string;
  readonly sessionId: string;
  readonly operator: Operator;
  /** When the cookie was made (ms): it is renewed once a minute. */
  readonly seenAt: number;
}

interface OperatorSessionsDeps extends DecideAndAppendDeps {
  readonly key: Uint8Array;
  readonly newId: () => string;
  /** 128 random bits or more, as text without dots. */
  readonly randomId: () => string;
}

/** Sessions of the operations page. A cookie is `link.session.time.signature`; the log says whether the session is open. */
export class OperatorSessions {
  readonly #deps: OperatorSessionsDeps;
  readonly #known = new BoundedCache<string, { readonly state: Folded; readonly readAt: number }>({
    most: cachedSessions,
  });

  constructor(deps: OperatorSessionsDeps) {
    this.#deps = deps;
  }

  /** Undefined where another attempt used the link: a browser drops the first answer to a form sent twice. `EventLogUnavailable`. */
  async signIn(link: OperatorLink, attempt = this.#deps.randomId()): Promise<OpenSession | undefined> {
    const { linkId, operator } = link;
    const sessionId = signatureOf(this.#deps.key, 'session', `${linkId}/${attempt}`);
    const command = { kind: 'sign-in', operator, sessionHash: sha256Of(sessionId) } as const;
    const done = await this.#change(linkId, operator, command);
    return done ? { linkId, sessionId, operator, seenAt: this.#deps.clock.now() } : undefined;
  }

  async signOut({ linkId, operator }: OpenSession): Promise<void> {
    await this.#change(linkId, operator, { kind: 'sign-out' });
    this.#known.delete(linkId);
  }

  /** The open session of a cookie. `EventLogUnavailable`. */
  async find(cookie: string): Promise<OpenSession | undefined> {
    const signed = this.#signed(cookie);
    const now = this.#deps.clock.now();
    if (!signed || now >= signed.seenAt + maxIdleMs) return undefined;
    const state = await this.#stateOf(signed.linkId, now);
    if (state.status !== 'open' || state.sessionHash !== sha256Of(signed.sessionId)) return undefined;
    if (now >= state.since + operators.maxSessionMs) return undefined;
    return { ...signed, operator: operatorOf(state.operator) };
  }

  #signed(cookie: string): Omit<OpenSession, 'operator'> | undefined {
    const [linkId = '', sessionId = '', seen = '', signature = ''] = cookie.split('.');
    const right = signatureOf(this.#deps.key, 'cookie', [linkId, sessionId, seen].join('.'));
    return isSignature(signature, right) ? { linkId, sessionId, seenAt: Number(seen) } : undefined;
  }

  /** The cookie of a session that was used now. */
  cookieOf({ linkId, sessionId }: OpenSession): string {
    const text = `${linkId}.${sessionId}.${this.#deps.clock.now()}`;
    return `${text}.${signatureOf(this.#deps.key, 'cookie', text)}`;
  }

  isRenewalDue({ seenAt }: OpenSession): boolean {
    return this.#deps.clock.now() >= seenAt + renewMs;
  }

  /** For one form: the id of the operation that it begins, bound to the session. */
  formToken(session: OpenSession): string {
    const operationId = this.#deps.newId();
    return `${operationId}.${this.#formSignature(session, operationId)}`;
  }

  /** Undefined for a token that was not made for this session. */
  operationOf(session: OpenSession, formToken: string): string | undefined {
    const [operationId = '', signature = ''] = formToken.split('.');
    return isSignature(signature, this.#formSignature(session, operationId)) ? operationId : undefined;
  }

  /** False where this form was sent before, to whichever replica. `EventLogUnavailable`. */
  async claimForm({ operator }: OpenSession, operationId: string): Promise<boolean> {
    const data = { operationId, bodySha256: sha256Of(operationId), reserved: null };
    const outcome = await decideAndAppend<boolean, 'sent'>(this.#deps, {
      stream: `key-${operationId}`,
      context: this.#context(operator),
      fold: { initial: () => false, evolve: () => true },
      decide: (isSent) =>
        isSent
          ? { kind: 'refused', rejection: 'sent' }
          : { kind: 'events', events: [{ name: 'IdempotencyKeyClaimed', data }] },
    });
    return outcome.kind !== 'refused';
  }

  #formSignature({ linkId, sessionId }: OpenSession, operationId: string): string {
    return signatureOf(this.#deps.key, 'form', `${linkId}/${sessionId}/${operationId}`);
  }

  async #stateOf(linkId: string, now: number): Promise<Folded> {
    const known = this.#known.get(linkId);
    if (known && Math.abs(now - known.readAt) < freshMs) return known.state;
    const { state } = await foldStream(this.#deps.log, operatorStream(linkId), sessionFold);
    this.#known.set(linkId, { state, readAt: now });
    return state;
  }

  async #change(linkId: string, operator: Operator, command: operators.OperatorCommand): Promise<boolean> {
    const outcome = await decideAndAppend<Folded, 'link-used'>(this.#deps, {
      stream: operatorStream(linkId),
      context: this.#context(operator),
      fold: sessionFold,
      decide: (state) => operators.decide(command, state),
    });
    return outcome.kind !== 'refused';
  }

  #context({ name, companyId }: Operator): CallContext {
    const receivedAt = new Date(this.#deps.clock.now()).toISOString();
    const who = { userId: null, username: `operator:${name}`, causationId: null };
    return { companyId, operationId: this.#deps.newId(), ...who, receivedAt };
  }
}

interface RevokeDeps extends DecideAndAppendDeps {
  readonly log: DecideAndAppendDeps['log'] & EventReader & StreamAdmin;
}

/** Longer than any link is valid: a session begins within this of the moment in its stream's name. */
const maxLinkMs = 60 * 60_000;

/** Ends the open sessions of everybody with this name; their number. A replica refuses the cookies after some seconds. */
export async function revokeSessions(deps: RevokeDeps, context: CallContext, name: string): Promise<number> {
  const oldest = deps.clock.now() - operators.maxSessionMs - maxLinkMs;
  let revoked = 0;
  for await (const { stream } of deps.log.listStreams(operatorPrefix)) {
    if (calledAt(stream.slice(operatorPrefix.length)) < oldest) continue;
    const ending = decideAndAppend<Folded, 'link-used'>(deps, {
      ...{ stream, context, fold: sessionFold },
      decide: (state) =>
        state.status === 'open' && state.operator.name === name
          ? operators.decide({ kind: 'sign-out' }, state)
          : { kind: 'nothing' },
    });
    // A session whose stream is damaged lets nobody in.
    if ((await unlessCorrupt(ending))?.kind === 'appended') revoked += 1;
  }
  return revoked;
}

const operatorOf = ({ name, role, companyId }: Operator): Operator => ({ name, role, companyId });
