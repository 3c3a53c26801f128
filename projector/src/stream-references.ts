import {
  asBuffer,
  endedOperation,
  eventsToEnd,
  operationOf,
  recordedAtOf,
  type Position,
  type RecordedEvent,
  type EventReader,
  type EventSubscriber,
  lastProjectedOf,
  logSnapshot,
  putLogSnapshot,
  readInstallation,
  type StateSnapshots,
} from '@rollcall/application/read';
import { parseStoredType, type EventName } from '@rollcall/contracts';

const DATA_NAME = /data-[0-9a-f-]{36}-[0-9a-f]{16}/g;
/** Matches the member only: a failure's reason may name the stream too. */
const PAYLOAD_MEMBER = /"stream":"(payload-[0-9a-f-]{36})"/g;

/** Chunk streams that the log refers to, and until when, read incrementally. In doubt a stream counts as referred to. */
export class StreamReferences {
  readonly #stores: ReferenceStores;
  #data = new Set<string>();
  #payloads = new Map<string, Payload>();
  #readTo: Position | undefined;
  #last: RecordedEvent | undefined;

  constructor(stores: ReferenceStores) {
    this.#stores = stores;
  }

  /** As they were saved. Nothing is known of a log that was put back, even beside this process: it is read anew. */
  async load(): Promise<void> {
    const saved = await loadReferences(this.#stores);
    ({ data: this.#data, payloads: this.#payloads, position: this.#readTo } = saved);
  }

  async save(): Promise<void> {
    const last = this.#last;
    if (last === undefined) return;
    await saveReferences(this.#stores, last, { data: this.#data, payloads: this.#payloads });
    this.#last = undefined;
  }

  knowsData(stream: string): boolean {
    return this.#data.has(stream);
  }

  payload(stream: string): Readonly<Payload> | undefined {
    return this.#payloads.get(stream);
  }

  forget(isOver: (payload: Payload) => boolean): void {
    for (const [stream, payload] of this.#payloads) if (isOver(payload)) this.#payloads.delete(stream);
  }

  async readOn(): Promise<void> {
    for await (const event of eventsToEnd(this.#stores.log, this.#readTo)) {
      this.#take(event);
      this.#last = event;
      this.#readTo = event.position;
    }
  }

  #take(event: RecordedEvent): void {
    if (event.contentType !== 'json') return;
    const name = parseStoredType(event.type)?.name;
    // Copied: a slice keeps the event's whole text in memory.
    for (const [stream] of matches(event.data, 'data-', DATA_NAME))
      this.#data.add(Buffer.from(stream).toString());
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
  const bytes = asBuffer(data);
  return bytes.includes(sign) ? bytes.toString('latin1').matchAll(pattern) : [];
}

/** Ms since the epoch; infinite where unreadable, so that the stream is kept. */
export const recordedAt = (event: RecordedEvent): number => recordedAtOf(event) ?? Infinity;

const name = 'stream-references-1';

export interface Payload {
  kept: boolean;
  /** In ms since the epoch; undefined while pending. */
  endedAt: number | undefined;
}

interface ReferenceStores {
  readonly log: EventReader & EventSubscriber;
  readonly snapshots: StateSnapshots;
}

interface References {
  readonly data: Set<string>;
  readonly payloads: Map<string, Payload>;
}

interface SavedReferences {
  readonly position: string;
  readonly data: readonly string[];
  readonly payloads: readonly (readonly [string, Payload])[];
}

/** Saves nothing where the last read event has no identity. */
async function saveReferences(
  stores: ReferenceStores,
  event: RecordedEvent,
  { data, payloads }: References,
): Promise<void> {
  const last = lastProjectedOf(event);
  const installationId = (await readInstallation(stores.log))?.installationId;
  if (last === undefined || installationId === undefined) return;
  const state: SavedReferences = {
    position: String(event.position),
    data: [...data],
    payloads: [...payloads],
  };
  const recordedAt = new Date(recordedAtOf(event) ?? 0).toISOString();
  await putLogSnapshot(stores, { name, last: { installationId, ...last }, recordedAt, state: { ...state } });
}

/** None are known of another or a restored log. */
async function loadReferences(
  stores: ReferenceStores,
): Promise<References & { readonly position: Position | undefined }> {
  const saved = (await logSnapshot(stores, name)) as SavedReferences | undefined;
  const position = saved && BigInt(saved.position);
  return { position, data: new Set(saved?.data), payloads: new Map(saved?.payloads) };
}
