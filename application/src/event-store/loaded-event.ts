import {
  catalogue,
  isEventMetadata,
  membersAddedSince,
  parseStoredType,
  upcastEventData,
  type DomainEventOf,
  type EmployeeSetSummary,
  type EventData,
  type EventMetadata,
  type EventName,
  type StagedReference,
} from '@rollcall/contracts';
import { MisshapenSet, readSetSummary, SetMismatch } from '@rollcall/employee-lists/set';
import { parsedJson } from '@rollcall/employee-lists/text';
import { asBuffer } from './linked-events.js';
import { LogCorrupt, type EventReader, type Position, type RecordedEvent } from '../ports/event-log.js';
import { readStaged, stagedReference } from './staged-data.js';

export interface LoadedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly id: string;
  readonly name: EventName;
  readonly metadata: EventMetadata;
  /** Bytes of the data's JSON text, staged or not. */
  readonly size: number;
  /** Upcast to the current version and checked; `LogCorrupt` where it does not fit the catalogue. */
  json(): Promise<unknown>;
  data<N extends EventName>(name: N): Promise<EventData<N>>;
  /** Absent where the data is staged, or of an older version. */
  readonly inline?: InlineData | undefined;
  /** The data's JSON text in UTF-8; a chunk is valid until the next is requested. `isVerified`, errors: as `readStaged`. */
  chunks(isVerified?: boolean): AsyncIterable<Uint8Array>;
}

/** What `chunks` and `json` give, at once. */
interface InlineData {
  readonly text: Uint8Array;
  json(): unknown;
  /** Of an employee set; read once. */
  summary(): EmployeeSetSummary;
}

interface DataText {
  readonly size: number;
  readonly chunks: (isVerified?: boolean) => AsyncIterable<Uint8Array>;
}

/** `LogCorrupt`, naming stream and revision but no value, for an unknown type or version or misshapen metadata. */
export function loadEvent(log: EventReader, recorded: RecordedEvent): LoadedEvent {
  const stored = parseStoredType(recorded.type);
  if (stored === undefined || recorded.contentType !== 'json') {
    throw corrupt(recorded, `has the unknown type ${recorded.type}`);
  }
  const metadata = storedMetadata(recorded);
  const reference = stagedReference(recorded.data);
  const text = reference === undefined ? inlineText(recorded.data) : stagedText(log, reference, recorded);
  const data = async <N extends EventName>(name: N): Promise<EventData<N>> => {
    if (name !== stored.name) throw new TypeError(`${stored.name} was read as ${name}`);
    const asked = { name, version: stored.version };
    const whole = reference === undefined ? recorded.data : await wholeText(text);
    return checkedData(recorded, asked, whole);
  };
  const json = (): Promise<unknown> => data(stored.name);
  const { stream, revision, position, id } = recorded;
  const current = stored.version === catalogue[stored.name].version;
  const chunks = current ? text.chunks : upcastText(text, membersAddedSince(stored), json);
  let summary: EmployeeSetSummary | undefined;
  const inline: InlineData = {
    text: recorded.data,
    json: () => checkedData(recorded, stored, recorded.data),
    summary: () => (summary ??= readSetSummary(recorded.data)),
  };
  const own = { json, data, chunks, inline: current && reference === undefined ? inline : undefined };
  return { stream, revision, position, id, name: stored.name, metadata, size: text.size, ...own };
}

export async function eventNamed<N extends EventName>(
  event: LoadedEvent,
  names: readonly N[],
): Promise<DomainEventOf<N> | undefined> {
  const name = names.find((one) => one === event.name);
  return name && ({ name, data: await event.json() } as DomainEventOf<N>);
}

/** `LogCorrupt` where it has none of these names. */
export async function ownEvent<N extends EventName>(
  event: LoadedEvent,
  names: readonly N[],
): Promise<DomainEventOf<N>> {
  const own = await eventNamed(event, names);
  if (own === undefined) throw corrupt(event, 'does not belong there');
  return own;
}

const corrupt = (event: { stream: string; revision: number }, what: string): LogCorrupt =>
  new LogCorrupt(`The event at revision ${event.revision} of ${event.stream} ${what}`);

/** `LogCorrupt` where an event does not fit the set before it. */
export async function fitting<T>(event: LoadedEvent, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MisshapenSet || error instanceof SetMismatch)) throw error;
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream}: ${error.message}`);
  }
}

export function storedMetadata(recorded: RecordedEvent): EventMetadata {
  const metadata = parseJson(recorded.metadata);
  if (!isEventMetadata(metadata)) throw corrupt(recorded, 'has misshapen metadata');
  return metadata;
}

const parseJson = (bytes: Uint8Array): unknown => parsedJson(asBuffer(bytes).toString('utf8'));

function checkedData<N extends EventName>(
  recorded: RecordedEvent,
  stored: { readonly name: N; readonly version: number },
  text: Uint8Array,
): EventData<N> {
  const checked = upcastEventData(stored, parsed(text, recorded));
  if (!checked.ok) throw corrupt(recorded, `does not fit the catalogue: ${checked.problem}`);
  return checked.data;
}

function parsed(text: Uint8Array, recorded: RecordedEvent): unknown {
  const data = parseJson(text);
  if (data === undefined) throw corrupt(recorded, 'has data that is not JSON');
  return data;
}

async function wholeText(text: DataText): Promise<Uint8Array> {
  const whole = new Uint8Array(text.size);
  let at = 0;
  for await (const chunk of text.chunks()) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** Members that a version added at its end are written behind the text as it is read: an employee set may be large. */
function upcastText(
  { size, chunks }: DataText,
  added: ReturnType<typeof membersAddedSince>,
  json: () => Promise<unknown>,
): DataText['chunks'] {
  if (added === undefined) return () => rewritten(json);
  const end = Buffer.from(`,${JSON.stringify(added).slice(1)}`);
  return async function* (isVerified) {
    let left = size;
    for await (const chunk of chunks(isVerified)) {
      left -= chunk.byteLength;
      yield left > 0 ? chunk : chunk.subarray(0, -1);
    }
    yield end;
  };
}

async function* rewritten(json: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(await json()));
}

const inlineText = (data: Uint8Array): DataText => ({
  size: data.byteLength,
  // eslint-disable-next-line @typescript-eslint/require-await -- the same shape as text that is read
  chunks: async function* () {
    yield data;
  },
});

const stagedText = (log: EventReader, reference: StagedReference, recorded: RecordedEvent): DataText => ({
  size: reference.bytes,
  chunks: (isVerified) => readStaged(log, reference, recorded, isVerified),
});
