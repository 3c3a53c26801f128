import {
  BoundedCache,
  CHAIN_START,
  fromJson,
  lastProjectedOf,
  LogCorrupt,
  partOf,
  partsOf,
  patternOfParts,
  toJson,
  verifyChain,
  type DocumentWrite,
  type LastProjected,
  type Position,
  type Progress,
  type ReadModelWriter,
  type RecordedEvent,
  type StreamDocument,
} from '@rollcall/application/read';
import { inHalves } from './documents-in-hand.js';

/** Read, but not yet applied or skipped. */
export interface UnderWay {
  readonly position: Position;
  readonly stream: string;
  readonly last: LastProjected | undefined;
  state: 'unfinished' | 'finished' | 'skipped';
}

interface NextCheckpoint {
  readonly progress: Progress;
  readonly done: readonly UnderWay[];
}

export class Checkpoint {
  readonly #installationId: string | null;
  readonly #underWay = new Set<UnderWay>();
  #readTo: Position | undefined;
  #progress: Progress;

  constructor(progress: Progress, installationId: string | null) {
    this.#progress = progress;
    this.#installationId = installationId;
    this.#readTo = progress.position;
  }

  get progress(): Progress {
    return this.#progress;
  }

  get readTo(): Position | undefined {
    return this.#readTo;
  }

  /** Of the streams that it is concerned with; undefined: all. */
  get pattern(): string | undefined {
    const { shares } = this.#progress;
    return shares && patternOfParts(partsOf(shares));
  }

  get count(): number {
    return this.#underWay.size;
  }

  /** Whether an event is of these parts, and not applied in them. */
  concerns({ stream, position }: RecordedEvent): boolean {
    const { shares } = this.#progress;
    if (shares === undefined) return true;
    const part = partOf(stream);
    const share = shares.find(({ parts }) => (parts & part) !== 0n);
    return share !== undefined && (share.position === undefined || position > share.position);
  }

  begin(event: RecordedEvent): UnderWay {
    const last = lastProjectedOf(event);
    const one: UnderWay = {
      position: event.position,
      stream: event.stream,
      last: last && { installationId: this.#installationId, ...last, position: `${event.position}` },
      state: 'unfinished',
    };
    this.#underWay.add(one);
    this.#readTo = event.position;
    return one;
  }

  /** No projected event lies between the last one and this position. */
  readUpTo(position: Position): void {
    if (this.#readTo === undefined || position > this.#readTo) this.#readTo = position;
  }

  next(finishing: ReadonlySet<UnderWay> = new Set()): NextCheckpoint {
    const done: UnderWay[] = [];
    for (const one of this.#underWay) {
      if (one.state === 'unfinished' && !finishing.has(one))
        return this.#behind(done, (done.at(-1) ?? this.#progress).position);
      done.push(one);
    }
    return this.#behind(done, this.#readTo);
  }

  #behind(done: readonly UnderWay[], position: Position | undefined): NextCheckpoint {
    const last = done.findLast((one) => one.last !== undefined)?.last;
    return { progress: { ...this.#progress, ...(last && { last }), position }, done };
  }

  moved({ progress, done }: NextCheckpoint): void {
    this.#progress = progress;
    for (const one of done) this.#underWay.delete(one);
  }
}

export const skippedIn = ({ done }: NextCheckpoint): readonly string[] => [
  ...new Set(done.filter(({ state }) => state === 'skipped').map(({ stream }) => stream)),
];

export interface TakenEvent {
  readonly recorded: RecordedEvent;
  readonly underWay: UnderWay;
}

/** Streams with a large event in flight, and the events queued after it. */
export class BusyStreams {
  readonly #waiting = new Map<string, TakenEvent[]>();
  count = 0;
  bytes = 0;

  has(stream: string): boolean {
    return this.#waiting.has(stream);
  }

  begin(stream: string): void {
    this.#waiting.set(stream, []);
  }

  wait(taken: TakenEvent): void {
    this.#waiting.get(taken.recorded.stream)?.push(taken);
    this.count += 1;
    this.bytes += taken.recorded.data.byteLength;
  }

  /** Frees the stream; returns what was queued, in order. */
  end(stream: string): readonly TakenEvent[] {
    const waited = this.#waiting.get(stream) ?? [];
    this.#waiting.delete(stream);
    this.count -= waited.length;
    this.bytes -= waited.reduce((sum, { recorded }) => sum + recorded.data.byteLength, 0);
    return waited;
  }
}

/** [stream] -> `StreamDocument`: its last fully projected event. */
const COLLECTION = 'streams';

const maxCachedStreams = 20_000;

/** Each stream's projected head: earlier events are done, the next must chain to it. */
export class StreamHeads {
  readonly #readModels: Pick<ReadModelWriter, 'newest'>;
  readonly #known = new BoundedCache<string, { readonly head: StreamDocument | undefined }>({
    most: maxCachedStreams,
  });

  constructor(readModels: Pick<ReadModelWriter, 'newest'>) {
    this.#readModels = readModels;
  }

  async read(streams: Iterable<string>): Promise<Map<string, StreamDocument | undefined>> {
    const heads = new Map([...streams].map((stream) => [stream, this.#known.get(stream)] as const));
    const unknown = [...heads.keys()].filter((stream) => heads.get(stream) === undefined);
    const keys = unknown.map((one) => [one] as const);
    const read = this.#readModels.newest.bind(this.#readModels, COLLECTION);
    const found = keys.length === 0 ? [] : await inHalves(keys, read);
    for (const [at, stream] of unknown.entries()) {
      const known = { head: fromJson(found[at]?.value) as StreamDocument | undefined };
      heads.set(stream, known);
      this.#known.set(stream, known);
    }
    return new Map([...heads].map(([stream, known]) => [stream, known?.head]));
  }

  keep(heads: Iterable<readonly [string, StreamDocument]>): void {
    for (const [stream, head] of heads) this.#known.set(stream, { head });
  }
}

/** `LogCorrupt` where its chain does not continue the head's. */
export function nextHead(head: StreamDocument | undefined, event: RecordedEvent): StreamDocument {
  const { stream, revision } = event;
  const expected = head === undefined ? 0 : head.revision + 1;
  if (revision > expected) throw new LogCorrupt(`The event at revision ${expected} of ${stream} is missing`);
  return { revision, chain: verifyChain(head?.chain ?? CHAIN_START, event) };
}

export const headWrite = (stream: string, head: StreamDocument): DocumentWrite => ({
  op: 'put',
  collection: COLLECTION,
  key: [stream],
  revision: head.revision,
  value: toJson(head),
});
