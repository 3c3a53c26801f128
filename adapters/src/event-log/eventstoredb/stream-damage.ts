import { LogCorrupt, type ReadOptions, type RecordedEvent, type StreamFinding } from '@rollcall/application';
import { isSystem, TOMBSTONE, type OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { streamRequest, type Filter } from './requests.js';
import { scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

const SYSTEM_EVENTS: Filter = { on: 'type', regex: '^\\$' };

/** The sweeper deletes these itself. */
const isSwept = (name: string): boolean => /^(?:data|payload)-/.test(name);

/** Streams that live for ever and decide about much: one that has no events is looked at before it is taken for new. */
const isLasting = (name: string): boolean =>
  /^(?:company|survey|apitokens)-/.test(name) || ['installation', 'api-users', 'surveyids'].includes(name);

/** What a stream's metadata says of its events, values and all; empty where it says nothing. */
function limitsIn(data: Uint8Array): string {
  const stored: unknown = JSON.parse(Buffer.from(data).toString('utf8') || '{}');
  if (typeof stored !== 'object' || stored === null) return '';
  const entries = Object.entries(stored).filter(([key]) => LIMITS.has(key));
  return entries.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(', ');
}

const LIMITS = new Set(['$maxCount', '$maxAge', '$tb']);

/** What others may do to the installation's streams on a server that they share, or in its web page. */
export class StreamDamage {
  readonly #wire: Wire;
  readonly #own: OwnStreams;

  constructor(wire: Wire, own: OwnStreams) {
    this.#wire = wire;
    this.#own = own;
  }

  /** `LogCorrupt` where the first event that can be read is not the one that was asked for. */
  async checkFirst(
    event: RecordedEvent,
    { from = 0, backwards }: ReadOptions,
    signal: AbortSignal,
  ): Promise<void> {
    if (backwards === true || event.revision <= from) return;
    const limits = await this.#limitsOf(event.stream, signal);
    const why = limits === '' ? 'a scavenge took them' : `metadata of the stream says ${limits}`;
    throw new LogCorrupt(`events ${from} to ${event.revision - 1} of ${event.stream} are gone: ${why}`);
  }

  /** Of a stream without any event that can be read: it may have a past. `LogCorrupt` then. */
  async checkEmpty(name: string, { from = 0 }: ReadOptions, signal: AbortSignal): Promise<void> {
    if (from > 0 || !isLasting(name)) return;
    const limits = await this.#limitsOf(name, signal);
    if (limits === '') return;
    throw new LogCorrupt(`all events of ${name} are gone: metadata of the stream says ${limits}`);
  }

  /** Of a stream that was deleted: `LogCorrupt` for a company's, which the service never deletes. */
  checkDeleted(name: string): void {
    if (name.startsWith('company-')) throw new LogCorrupt(`the stream ${name} was deleted for good`);
  }

  async #limitsOf(name: string, signal: AbortSignal): Promise<string> {
    const newest = { from: undefined, limit: 1, backwards: true };
    const call = this.#wire.read(streamRequest(`$$${this.#own.prefix}${name}`, newest), signal);
    let limits = '';
    for await (const { message } of call.events(1)) limits = limitsIn(message.getData_asU8());
    return limits;
  }

  /** Everything of that kind, from one pass over the server's own events. */
  async *find(signal: AbortSignal): AsyncGenerator<StreamFinding> {
    const limits = new Map<string, string>();
    for await (const { event } of scanToEnd(this.#wire, {
      after: undefined,
      filter: SYSTEM_EVENTS,
      signal,
    })) {
      if (event === undefined) continue;
      const owner = event.stream.startsWith('$$') ? this.#ownName(event.stream.slice(2)) : undefined;
      if (owner !== undefined) limits.set(owner, limitsIn(event.message.getData_asU8()));
      const problem = this.#foreignEvent(event);
      if (problem !== undefined) yield problem;
    }
    for (const [stream, said] of limits)
      if (said !== '') yield { stream, problem: `metadata of the stream says ${said}` };
  }

  #foreignEvent({ stream: stored, type, message }: StoredEvent): StreamFinding | undefined {
    const stream = this.#ownName(stored);
    if (stream === undefined || !isSystem(type)) return undefined;
    if (type === TOMBSTONE) return { stream, problem: 'the stream was deleted for good' };
    return { stream, problem: `event ${message.getStreamRevision()} has the foreign type ${type}` };
  }

  #ownName(stored: string): string | undefined {
    const name = this.#own.nameOf(stored);
    return name === undefined || isSwept(name) ? undefined : name;
  }
}
