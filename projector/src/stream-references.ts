import {
  endedOperation,
  notProjected,
  operationOf,
  recordedAtOf,
  type EventSubscriber,
  type Position,
  type RecordedEvent,
} from '@rollcall/application/read';
import { parseStoredType, type EventName } from '@rollcall/contracts';

const DATA_NAME = /data-[0-9a-f-]{36}-[0-9a-f]{16}/g;
/** As a member, not in a text: a reason why an import failed may name the stream too. */
const PAYLOAD_MEMBER = /"stream":"(payload-[0-9a-f-]{36})"/g;

interface Payload {
  /** Something else than the import that it was written for refers to it. */
  kept: boolean;
  /** When that import ended, milliseconds since the epoch; undefined while it is pending. */
  endedAt: number | undefined;
}

/**
 * What the log says of the streams that hold chunks: which are referred to, and until when. It is read on from where it was
 * read to before. In doubt a stream is referred to.
 */
export class StreamReferences {
  readonly #log: EventSubscriber;
  readonly #data = new Set<string>();
  readonly #payloads = new Map<string, Payload>();
  #readTo: Position | undefined;

  constructor(log: EventSubscriber) {
    this.#log = log;
  }

  /** Whether the `data-` stream is known to be referred to: then it is for ever. */
  knowsData(stream: string): boolean {
    return this.#data.has(stream);
  }

  /** Nothing where no event refers to the payload. */
  payload(stream: string): Readonly<Payload> | undefined {
    return this.#payloads.get(stream);
  }

  /** Reads the log to its present end. */
  async readOn(): Promise<void> {
    const { signal } = new AbortController();
    const options = { after: this.#readTo, withoutStreams: notProjected, signal };
    for await (const item of this.#log.subscribeToAll(options)) {
      if (item.kind === 'event') {
        this.#take(item.event);
        this.#readTo = item.event.position;
        continue;
      }
      this.#readTo = item.position;
      return;
    }
  }

  #take(event: RecordedEvent): void {
    if (event.contentType !== 'json') return;
    const name = parseStoredType(event.type)?.name;
    for (const [stream] of matches(event.data, 'data-', DATA_NAME)) this.#data.add(stream);
    for (const [, stream = ''] of matches(event.data, '"payload-', PAYLOAD_MEMBER))
      this.#refer(stream, isOwn(event, name, stream));
    const payload = this.#payloads.get(`payload-${endedOperation(event)}`);
    if (payload !== undefined) payload.endedAt ??= recordedAt(event);
  }

  #refer(stream: string, own: boolean): void {
    const known = this.#payloads.get(stream);
    this.#payloads.set(stream, { kept: !own || (known?.kept ?? false), endedAt: known?.endedAt });
  }
}

const isOwn = (event: RecordedEvent, name: EventName | undefined, stream: string): boolean =>
  name === 'ImportQueued' && stream === `payload-${operationOf(event.metadata)}`;

function matches(data: Uint8Array, sign: string, pattern: RegExp): Iterable<RegExpMatchArray> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.includes(sign) ? bytes.toString('latin1').matchAll(pattern) : [];
}

/** Milliseconds since the epoch; now and for ever where it cannot be read, so that the stream stays. */
export const recordedAt = (event: RecordedEvent): number => recordedAtOf(event) ?? Infinity;
