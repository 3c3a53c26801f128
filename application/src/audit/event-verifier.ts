import { CHAIN_START, storedChain, verifyChain } from '../event-store/linked-events.js';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { isSwept, CHUNK_TYPE } from '../event-store/staged-data.js';
import { BoundedCache } from '../bounded-cache.js';
import { LogCorrupt, type EventReader, type RecordedEvent, type Position } from '../ports/event-log.js';
import { SetEventParser, readFullElement } from '@rollcall/employee-lists/set';
import { lastProjectedOf } from '../installation/checkpoint.js';
import { readInstallation } from '../installation/installation.js';
import { logSnapshot, putLogSnapshot, type SnapshotStores } from '../installation/log-snapshot.js';

const maxKnownStreams = 10_000;

/** Verifies events one by one, in the order of positions from any on. Reads the event before one whose stream it has forgotten. */
export class EventVerifier {
  readonly #log: EventReader;
  readonly #chains = new BoundedCache<string, { readonly revision: number; readonly chain: string }>({
    most: maxKnownStreams,
  });

  constructor(log: EventReader) {
    this.#log = log;
  }

  /** `LogCorrupt` where a revision is missing, the chain is broken, or data and its chunks do not fit. */
  async take(event: RecordedEvent): Promise<void> {
    const { stream, revision } = event;
    const before = await this.#chainBefore(stream, revision);
    // The next event is measured by what this one says of itself; none fits behind one without a chain value.
    this.#chains.set(stream, { revision, chain: storedChain(event.metadata) ?? '' });
    if (before === undefined) return;
    verifyChain(before, event);
    if (event.type !== CHUNK_TYPE) await checkData(loadEvent(this.#log, event));
  }

  /** Undefined in a stream that was deleted meanwhile. */
  async #chainBefore(stream: string, revision: number): Promise<string | undefined> {
    if (revision === 0) return CHAIN_START;
    const known = this.#chains.get(stream);
    if (known?.revision === revision - 1) return known.chain;
    for await (const before of this.#log.readStream(stream, { from: revision - 1, limit: 1 }))
      if (before.revision === revision - 1) return storedChain(before.metadata) ?? '';
    if (await this.#wasDeleted(stream)) return undefined;
    throw new LogCorrupt(`The event at revision ${revision - 1} of ${stream} is missing`);
  }

  async #wasDeleted(stream: string): Promise<boolean> {
    return isSwept(stream) && (await this.#log.readLast(stream)) === undefined;
  }
}

const maxWholeBytes = 4 * 1024 * 1024;

/** Checks an event's data against the catalogue; a large employee set element by element, in bounded memory. A promise where it is read. */
export function checkData(event: LoadedEvent): unknown {
  if (event.name === 'EmployeeSetReplaced' && event.size > maxWholeBytes) return checkElements(event);
  return event.inline ? event.inline.json() : event.json();
}

async function checkElements(event: LoadedEvent): Promise<void> {
  const parser = new SetEventParser(
    (kind, bytes, start, end) => void readFullElement(kind, bytes, start, end),
  );
  for await (const chunk of event.chunks()) parser.push(chunk);
  parser.finish();
}

/** Its format's number is in it. Like any snapshot it may be lost: then the proof begins anew. */
const name = 'log-proof-1';

export interface BrokenStream {
  readonly stream: string;
  readonly revision: number;
  /** Names no value. */
  readonly problem: string;
  /** In ms since the epoch. */
  readonly foundAt: number;
}

/** How far this round of the continuous proof is, and what came of those before it. Times in ms since the epoch. */
export interface LogProof {
  /** Undefined at the beginning of a round. */
  readonly verifiedTo: Position | undefined;
  readonly begunAt: number;
  /** When a round last ended and had found everything whole. */
  readonly wholeAt: number | null;
  readonly broken: readonly BrokenStream[];
  /** Who verifies, and when it last said so. */
  readonly by: string;
  readonly at: number;
}

type Saved = Omit<LogProof, 'verifiedTo'> & { readonly verifiedTo: string | null };

/** Undefined where there is none, or it is of another, a restored or a moved log. */
export async function readProof(stores: SnapshotStores): Promise<LogProof | undefined> {
  const saved = (await logSnapshot(stores, name)) as Saved | undefined;
  if (saved === undefined) return undefined;
  const { verifiedTo, begunAt, wholeAt, broken, by, at } = saved;
  return {
    verifiedTo: verifiedTo === null ? undefined : BigInt(verifiedTo),
    begunAt,
    wholeAt,
    broken,
    by,
    at,
  };
}

/** `last` is a verified event of a stream that is never deleted: a log without it is another one. */
export async function saveProof(
  stores: SnapshotStores,
  { verifiedTo, ...proof }: LogProof,
  last: RecordedEvent,
): Promise<void> {
  const seen = lastProjectedOf(last);
  const installationId = (await readInstallation(stores.log))?.installationId;
  if (seen === undefined || installationId === undefined) return;
  const position = String(last.position);
  const state = { ...proof, position, verifiedTo: verifiedTo === undefined ? null : String(verifiedTo) };
  const recordedAt = new Date(proof.at).toISOString();
  await putLogSnapshot(stores, { name, last: { installationId, ...seen }, recordedAt, state });
}
