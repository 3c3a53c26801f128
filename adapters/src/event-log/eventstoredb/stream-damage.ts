import {
  isSwept,
  LogCorrupt,
  LogRefused,
  StreamDeleted,
  type ReadOptions,
  type RecordedEvent,
  type StreamFinding,
} from '@rollcall/application';
import { parsedJson } from '@rollcall/employee-lists/text';
import { isSystem, TOMBSTONE, type OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { streamRequest, type AllPosition, type Filter } from './requests.js';
import { oneOf, scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

const SYSTEM_EVENTS: Filter = { on: 'type', regex: '^\\$' };

/** Long-lived streams: an empty one is checked before it counts as new. */
const isLasting = (name: string): boolean =>
  /^(?:company|survey|apitokens|webhooks)-/.test(name) ||
  ['installation', 'api-users', 'surveyids', 'anchors'].includes(name);

const LIMITS = ['$maxCount', '$maxAge', '$tb'];

type Said = ReadonlyMap<string, string>;

function saidBy(data: Uint8Array): Said {
  const stored = parsedJson(Buffer.from(data).toString('utf8') || '{}');
  if (stored === undefined) return new Map([['nothing that is JSON', '']]);
  if (typeof stored !== 'object' || stored === null) return new Map();
  return new Map(Object.entries(stored).map(([key, value]) => [key, JSON.stringify(value)]));
}

const limitsOf = (said: Said): Said => new Map([...said].filter(([key]) => LIMITS.includes(key)));

const textOf = (said: Said): string => [...said].map((member) => member.join(' ').trimEnd()).join(', ');

const because = (said: Said): string => `metadata of the stream says ${textOf(said)}`;

/** 2^63 - 1, as JSON numbers have it. */
const isSoftDeletion = (said: Said): boolean => said.get('$tb') === String(2 ** 63);

const TAKE_BACK = 'set its metadata to {}';
const RESTORE = 'restore the log from a backup';

interface StreamDamageWires {
  readonly calls: Wire;
  readonly follows: Wire;
}

interface StreamDamageOptions {
  /** Writes nothing; rejects if the user has no right. */
  readonly tryAppend: (stream: string) => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Other tenants' or administrators' changes to the installation's streams. */
export class StreamDamage {
  readonly #wires: StreamDamageWires;
  readonly #tryAppend: StreamDamageOptions['tryAppend'];
  readonly #own: OwnStreams;
  readonly #signal: AbortSignal;
  readonly #said = new Map<string, Said>();
  readonly #foreign = new Map<string, StreamFinding>();
  /** Events hidden by a limit; valid until the metadata changes. */
  readonly #hidden = new Map<string, StreamFinding>();
  #behind: AllPosition | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(wires: StreamDamageWires, own: OwnStreams, { tryAppend, signal }: StreamDamageOptions) {
    this.#tryAppend = tryAppend;
    this.#wires = wires;
    this.#own = own;
    this.#signal = signal;
  }

  forget(): void {
    for (const known of [this.#said, this.#foreign, this.#hidden]) known.clear();
    this.#behind = undefined;
  }

  /** `LogCorrupt` if an earlier event is missing. */
  async checkFirst(event: RecordedEvent, { from = 0, backwards }: ReadOptions): Promise<void> {
    if (backwards === true || event.revision <= from) return;
    const limits = await this.#limitsOf(event.stream);
    throw new LogCorrupt(goneText(event.stream, { from, to: event.revision }, limits));
  }

  /** `LogCorrupt` if an empty stream has a past. */
  async checkEmpty(name: string, { from = 0 }: ReadOptions): Promise<void> {
    const known = this.#hidden.get(name);
    if (from > 0 || !(isLasting(name) || known !== undefined)) return;
    const limits = await this.#limitsOf(name);
    if (limits.size > 0) throw new LogCorrupt(allGoneText(name, limits));
  }

  /** `LogCorrupt` if the service never deletes such a stream. */
  checkDeleted(name: string): void {
    if (!isSwept(name)) throw new LogCorrupt(deletedText(name));
  }

  async #limitsOf(name: string): Promise<Said> {
    const newest = { from: undefined, limit: 1, backwards: true };
    const call = this.#wires.calls.read(streamRequest(`$$${this.#own.prefix}${name}`, newest), this.#signal);
    const found = await oneOf(call);
    return found === undefined ? new Map() : limitsOf(saidBy(found.message.getData_asU8()));
  }

  /** Resumes in the server's own events; concurrent calls take turns. */
  async *find(): AsyncGenerator<StreamFinding> {
    const looking = this.#looking.then(() => this.#readOn());
    this.#looking = looking.catch(() => undefined);
    await looking;
    yield* this.#foreign.values();
    for (const [stream, said] of [...this.#said])
      if (!this.#foreign.has(stream)) yield await this.#findingOf(stream, said);
  }

  async #findingOf(stream: string, said: Said): Promise<StreamFinding> {
    const limits = limitsOf(said);
    const refused = said.has('$acl') ? await this.#refusalOf(stream) : undefined;
    if (refused !== undefined)
      return { stream, problem: `${refused}; ${because(said)}: give it $r and $w there`, kind: 'closed' };
    if (limits.size === 0) return { stream, problem: because(said), kind: 'notice' };
    const known = this.#hidden.get(stream);
    if (known !== undefined) return known;
    const problem = await this.#goneBy(stream, limits);
    if (problem === undefined)
      return { stream, problem: `${because(limits)}, which hides nothing yet; ${TAKE_BACK}`, kind: 'limit' };
    const finding: StreamFinding = { stream, problem, kind: 'damage' };
    if (this.#said.get(stream) === said) this.#hidden.set(stream, finding);
    return finding;
  }

  async #refusalOf(stream: string): Promise<string | undefined> {
    const first = streamRequest(this.#own.prefix + stream, { from: 0, limit: 1, backwards: false });
    try {
      await oneOf(this.#wires.calls.read(first, this.#signal));
      await this.#tryAppend(stream);
      return undefined;
    } catch (error) {
      if (error instanceof LogRefused) return error.message;
      if (error instanceof StreamDeleted) return undefined;
      throw error;
    }
  }

  async #goneBy(stream: string, limits: Said): Promise<string | undefined> {
    const first = { from: 0, limit: 1, backwards: false };
    const call = this.#wires.calls.read(streamRequest(this.#own.prefix + stream, first), this.#signal);
    for await (const { message } of call.events(1)) {
      const to = Number(message.getStreamRevision());
      return to === 0 ? undefined : goneText(stream, { from: 0, to }, limits);
    }
    // A count limit alone keeps the newest event: there never was one.
    return limits.has('$tb') || limits.has('$maxAge') ? allGoneText(stream, limits) : undefined;
  }

  async #readOn(): Promise<void> {
    const scan = { after: this.#behind, filter: SYSTEM_EVENTS, signal: this.#signal };
    for await (const { event, position } of scanToEnd(this.#wires.follows, scan)) {
      if (event !== undefined) this.#take(event);
      this.#behind = position;
    }
  }

  #take(event: StoredEvent): void {
    const owner = event.stream.startsWith('$$') ? this.#ownName(event.stream.slice(2)) : undefined;
    if (owner !== undefined) this.#say(owner, saidBy(event.message.getData_asU8()));
    const stream = this.#ownName(event.stream);
    if (stream !== undefined && isSystem(event.type)) this.#foreign.set(stream, foreignEvent(stream, event));
  }

  #say(stream: string, said: Said): void {
    this.#hidden.delete(stream);
    if (said.size === 0) this.#said.delete(stream);
    else this.#said.set(stream, said);
  }

  #ownName(stored: string): string | undefined {
    const name = this.#own.nameOf(stored);
    return name === undefined || isSwept(name) ? undefined : name;
  }
}

function foreignEvent(stream: string, { type, message }: StoredEvent): StreamFinding {
  const foreign = `event ${message.getStreamRevision()} of ${stream} has the foreign type ${type}; ${RESTORE}`;
  return { stream, problem: type === TOMBSTONE ? deletedText(stream) : foreign, kind: 'damage' };
}

const deletedText = (stream: string): string => `the stream ${stream} was deleted for good; ${RESTORE}`;

const goneText = (
  stream: string,
  { from, to }: { readonly from: number; readonly to: number },
  limits: Said,
): string =>
  `events ${from} to ${to - 1} of ${stream} are gone: ` +
  (limits.size === 0 ? `a scavenge took them; ${RESTORE}` : `${because(limits)}; ${TAKE_BACK}`);

const allGoneText = (stream: string, limits: Said): string =>
  isSoftDeletion(limits)
    ? `the stream ${stream} was deleted softly; ${TAKE_BACK}, and again, because the server then sets $tb itself`
    : `all events of ${stream} are gone: ${because(limits)}; ${TAKE_BACK}`;
