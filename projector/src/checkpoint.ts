import {
  lastProjectedOf,
  partOf,
  partsOf,
  patternOfParts,
  type LastProjected,
  type Position,
  type Progress,
  type RecordedEvent,
} from '@rollcall/application/read';

/** Read, but not yet applied or skipped. */
export interface UnderWay {
  readonly position: Position;
  readonly stream: string;
  readonly last: LastProjected | undefined;
  state: 'unfinished' | 'finished' | 'skipped';
}

export interface NextCheckpoint {
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
      last: last && { installationId: this.#installationId, ...last },
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
