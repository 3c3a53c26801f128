import {
  isSwept,
  LogCorrupt,
  type ReadOptions,
  type RecordedEvent,
  type StreamFinding,
} from '@rollcall/application';
import { isSystem, TOMBSTONE, type OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { streamRequest, type AllPosition, type Filter } from './requests.js';
import { scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

const SYSTEM_EVENTS: Filter = { on: 'type', regex: '^\\$' };

/** Streams that live for ever and decide about much: one that has no events is looked at before it is taken for new. */
const isLasting = (name: string): boolean =>
  /^(?:company|survey|apitokens)-/.test(name) || ['installation', 'api-users', 'surveyids'].includes(name);

const LIMITS = ['$maxCount', '$maxAge', '$tb'];

/** What a stream's metadata says, member by member, values and all. */
type Said = ReadonlyMap<string, string>;

function saidBy(data: Uint8Array): Said {
  let stored: unknown;
  try {
    stored = JSON.parse(Buffer.from(data).toString('utf8') || '{}');
  } catch {
    return new Map([['nothing that is JSON', '']]);
  }
  if (typeof stored !== 'object' || stored === null) return new Map();
  return new Map(Object.entries(stored).map(([key, value]) => [key, JSON.stringify(value)]));
}

const limitsOf = (said: Said): Said => new Map([...said].filter(([key]) => LIMITS.includes(key)));

const textOf = (said: Said): string => [...said].map((member) => member.join(' ').trimEnd()).join(', ');

const because = (said: Said): string => `metadata of the stream says ${textOf(said)}`;

export interface StreamDamageWires {
  readonly calls: Wire;
  readonly follows: Wire;
}

/** What others may do to the installation's streams on a server that they share, or in its web page. */
export class StreamDamage {
  readonly #wires: StreamDamageWires;
  readonly #own: OwnStreams;
  readonly #signal: AbortSignal;
  /** What the newest metadata of each own stream says, where it says anything. */
  readonly #said = new Map<string, Said>();
  /** Foreign events and tombstones, which stay. */
  readonly #foreign = new Map<string, StreamFinding>();
  /** Of streams with limits: which events these hide. It stays so until the metadata is another one. */
  readonly #hidden = new Map<string, StreamFinding>();
  #behind: AllPosition | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(wires: StreamDamageWires, own: OwnStreams, signal: AbortSignal) {
    this.#wires = wires;
    this.#own = own;
    this.#signal = signal;
  }

  /** The log is another one: what was found says nothing of it. */
  forget(): void {
    for (const known of [this.#said, this.#foreign, this.#hidden]) known.clear();
    this.#behind = undefined;
  }

  /** `LogCorrupt` where the first event that can be read is not the one that was asked for. */
  async checkFirst(event: RecordedEvent, { from = 0, backwards }: ReadOptions): Promise<void> {
    if (backwards === true || event.revision <= from) return;
    const limits = await this.#limitsOf(event.stream);
    throw new LogCorrupt(goneText(event.stream, { from, to: event.revision }, limits));
  }

  /** Of a stream without any event that can be read: it may have a past. `LogCorrupt` then. */
  async checkEmpty(name: string, { from = 0 }: ReadOptions): Promise<void> {
    const known = this.#hidden.get(name);
    if (from > 0 || !(isLasting(name) || known !== undefined)) return;
    const limits = await this.#limitsOf(name);
    if (limits.size > 0) throw new LogCorrupt(allGoneText(name, limits));
  }

  /** Of a stream that was deleted: `LogCorrupt` where the service never deletes it. */
  checkDeleted(name: string): void {
    if (!isSwept(name)) throw new LogCorrupt(`the stream ${name} was deleted for good`);
  }

  async #limitsOf(name: string): Promise<Said> {
    const newest = { from: undefined, limit: 1, backwards: true };
    const call = this.#wires.calls.read(streamRequest(`$$${this.#own.prefix}${name}`, newest), this.#signal);
    let limits: Said = new Map();
    for await (const { message } of call.events(1)) limits = limitsOf(saidBy(message.getData_asU8()));
    return limits;
  }

  /** Everything of that kind. Each look reads on in the server's own events; those who look at once do so in turn. */
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
    if (limits.size === 0) return { stream, problem: because(said), kind: 'notice' };
    const known = this.#hidden.get(stream);
    if (known !== undefined) return known;
    const problem = await this.#goneBy(stream, limits);
    if (problem === undefined) return { stream, problem: because(limits), kind: 'limit' };
    const finding: StreamFinding = { stream, problem, kind: 'damage' };
    if (this.#said.get(stream) === said) this.#hidden.set(stream, finding);
    return finding;
  }

  /** Which events limits hide; undefined where it is none of those that are there. */
  async #goneBy(stream: string, limits: Said): Promise<string | undefined> {
    const first = { from: 0, limit: 1, backwards: false };
    const call = this.#wires.calls.read(streamRequest(this.#own.prefix + stream, first), this.#signal);
    for await (const { message } of call.events(1)) {
      const to = Number(message.getStreamRevision());
      return to === 0 ? undefined : goneText(stream, { from: 0, to }, limits);
    }
    // A number alone leaves the newest event: there never was one.
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
  const problem =
    type === TOMBSTONE
      ? `the stream ${stream} was deleted for good`
      : `event ${message.getStreamRevision()} of ${stream} has the foreign type ${type}`;
  return { stream, problem, kind: 'damage' };
}

const goneText = (
  stream: string,
  { from, to }: { readonly from: number; readonly to: number },
  limits: Said,
): string =>
  `events ${from} to ${to - 1} of ${stream} are gone: ${limits.size === 0 ? 'a scavenge took them' : because(limits)}`;

const allGoneText = (stream: string, limits: Said): string =>
  `all events of ${stream} are gone: ${because(limits)}`;
