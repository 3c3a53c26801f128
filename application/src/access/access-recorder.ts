import type { AuthenticationsRefused, CallContext, PersonalDataRead } from '@rollcall/contracts';
import type { DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { newId } from '../event-store/linked-events.js';
import { isOutage } from '../ports/problems.js';
import type { Every } from '../timers.js';
import { type AccessEvent, AccessLog } from './access-log.js';

const flushMs = 60_000;
/** Pairs of kid and subject in one event. */
const maxRefusedKeys = 20;
const maxClaimed = 64;

interface PersonalRead {
  readonly companyId: number;
  /** Null for an operator of the page. */
  readonly userId: number | null;
  readonly username: string;
  readonly what: string;
  readonly rows: number;
  readonly requestId: string;
}

/** From an unverified token. */
interface RefusedToken {
  readonly kid: unknown;
  readonly subject: unknown;
}

interface AccessRecorderDeps extends DecideAndAppendDeps {
  readonly every: Every;
  readonly username: string;
  readonly onProblem: (error: unknown) => void;
}

type Kind = PersonalDataRead['reads'][number];
type Refused = AuthenticationsRefused['refused'][number];

interface Gathered {
  readonly from: string;
  until: string;
  /** At the last flush; the next one records it, whatever other processes have. */
  isKept?: true;
}

interface Reads extends Gathered {
  readonly of: Pick<PersonalRead, 'companyId' | 'userId' | 'username'>;
  readonly kinds: Map<string, Kind>;
}

interface Refusals extends Gathered {
  readonly byKey: Map<string, Refused>;
  others: number;
}

function addKind({ kinds }: Reads, { what, calls, rows, requestId }: Kind): void {
  const known = kinds.get(what);
  kinds.set(what, { what, calls: calls + (known?.calls ?? 0), rows: rows + (known?.rows ?? 0), requestId });
}

function addRefused(refusals: Refusals, { kid, subject, count }: Refused): void {
  const { byKey } = refusals;
  const key = JSON.stringify([kid, subject]);
  const known = byKey.get(key)?.count;
  if (known === undefined && byKey.size >= maxRefusedKeys) refusals.others += count;
  else byKey.set(key, { kid, subject, count: count + (known ?? 0) });
}

/**
 * Gathers who read personal data, and refused authentications, and records them once a minute. `read` and `refused` never wait and never
 * fail; what an outage keeps from the log stays gathered. A crash loses what was gathered: two minutes at most, without an outage.
 */
export class AccessRecorder {
  readonly #deps: AccessRecorderDeps;
  readonly #log: AccessLog;
  readonly #reads = new Map<string, Reads>();
  #refusals: Refusals | undefined;
  /** Appends that an outage left without an answer: each may stand, and is repeated as it is. */
  readonly #unanswered = new Set<() => Promise<void>>();
  #flushing: Promise<void> = Promise.resolve();
  #stop: (() => void) | undefined;

  constructor(deps: AccessRecorderDeps) {
    this.#deps = deps;
    this.#log = new AccessLog(deps);
  }

  /** Again with other intervals while the process stops: it may be ended before `close`. */
  start(everyMs = flushMs, always = false): void {
    this.#stop?.();
    this.#stop = this.#deps.every(everyMs, () => this.flush(always));
  }

  /** Records what is gathered, also what another process has kept back in this minute. */
  async close(): Promise<void> {
    this.#stop?.();
    await this.flush(true);
  }

  read({ what, rows, requestId, ...of }: PersonalRead): void {
    const { now } = this.#log;
    const key = `${of.companyId}/${of.userId}/${of.username}`;
    const reads: Reads = this.#reads.get(key) ?? { of, from: now, until: now, kinds: new Map() };
    this.#reads.set(key, reads);
    reads.until = now;
    addKind(reads, { what, calls: 1, rows, requestId });
  }

  refused({ kid, subject }: RefusedToken): void {
    const { now } = this.#log;
    const refusals = (this.#refusals ??= { from: now, until: now, byKey: new Map(), others: 0 });
    refusals.until = now;
    addRefused(refusals, { kid: claimedText(kid), subject: claimedText(subject), count: 1 });
  }

  flush(always = false): Promise<void> {
    return (this.#flushing = this.#flushing.then(() => this.#flush(always)));
  }

  /** Stops at the first outage. A stream that cannot be written holds no other up. */
  async #flush(always: boolean): Promise<void> {
    for (const flushing of this.#flushes(always))
      try {
        await flushing;
      } catch (error) {
        this.#deps.onProblem(error);
        if (isOutage(error)) return;
      }
  }

  /** Each begins when it is asked for. */
  *#flushes(always: boolean): Generator<Promise<void>> {
    for (const again of this.#unanswered) yield again();
    for (const [key, reads] of [...this.#reads]) yield this.#flushReads(key, reads, always);
    yield this.#flushRefusals(always);
  }

  /** What comes during the append is gathered anew; where surely nothing was recorded both are one again. */
  async #flushReads(key: string, reads: Reads, always: boolean): Promise<void> {
    const { of, from, until, kinds, isKept = always } = reads;
    this.#reads.delete(key);
    const data = { from, until, reads: [...kinds.values()] };
    const context = this.#context({ ...of, receivedAt: from });
    const keep = (): void => this.#keepReads(key, reads);
    await this.#record(context, { name: 'PersonalDataRead', data }, isKept, keep);
  }

  #keepReads(key: string, reads: Reads): void {
    const since = this.#reads.get(key);
    this.#reads.set(key, reads);
    reads.isKept = true;
    if (since === undefined) return;
    reads.until = since.until;
    for (const kind of since.kinds.values()) addKind(reads, kind);
  }

  async #flushRefusals(always: boolean): Promise<void> {
    const refusals = this.#refusals;
    if (refusals === undefined) return;
    this.#refusals = undefined;
    const { from, until, byKey, others, isKept = always } = refusals;
    const data = { from, until, refused: [...byKey.values()], others };
    const context = this.#context({ companyId: null, userId: null, receivedAt: from });
    const keep = (): void => this.#keepRefusals(refusals);
    await this.#record(context, { name: 'AuthenticationsRefused', data }, isKept, keep);
  }

  #keepRefusals(refusals: Refusals): void {
    const since = this.#refusals;
    this.#refusals = refusals;
    refusals.isKept = true;
    if (since === undefined) return;
    refusals.until = since.until;
    refusals.others += since.others;
    for (const refused of since.byKey.values()) addRefused(refusals, refused);
  }

  async #record(context: CallContext, event: AccessEvent, always: boolean, keep: () => void): Promise<void> {
    const { now } = this.#log;
    const record = (all: boolean) => this.#log.record(context, event, all, now);
    const again = (): Promise<void> => record(true).then(() => void this.#unanswered.delete(again));
    try {
      if (!(await record(always))) keep();
    } catch (error) {
      if (isOutage(error)) this.#unanswered.add(again);
      else keep();
      throw error;
    }
  }

  #context(
    of: Pick<CallContext, 'companyId' | 'userId' | 'receivedAt'> & { username?: string },
  ): CallContext {
    return { username: this.#deps.username, ...of, operationId: newId(), causationId: null };
  }
}

/** Printable ASCII, other characters escaped, cut: it comes from outside and goes to terminals. */
function claimedText(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).slice(0, maxClaimed);
  const escaped = text.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.slice(0, maxClaimed);
}
