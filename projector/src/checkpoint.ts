import {
  lastProjectedOf,
  type LastProjected,
  type Position,
  type Progress,
  type RecordedEvent,
} from '@rollcall/application/read';

/** An event between being read and being applied, or passed by. */
export interface UnderWay {
  readonly position: Position;
  readonly stream: string;
  readonly last: LastProjected | undefined;
  state: 'unfinished' | 'finished' | 'skipped';
}

/** Where the progress may be moved to, and the events that it passes on the way. */
export interface NextCheckpoint {
  readonly progress: Progress;
  readonly done: readonly UnderWay[];
}

/** Where the log is read to, and up to where everything is done: the checkpoint stops at the first gap. */
export class Checkpoint {
  readonly #installationId: string | null;
  /** In the order of the log. */
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

  /** The log is read to here. */
  get readTo(): Position | undefined {
    return this.#readTo;
  }

  /** How many events lie behind the checkpoint. */
  get count(): number {
    return this.#underWay.size;
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

  /** Nothing that is projected lies between the last event and here. */
  readUpTo(position: Position): void {
    if (this.#readTo === undefined || position > this.#readTo) this.#readTo = position;
  }

  /** Where it may be moved to once these are finished too. */
  next(finishing: ReadonlySet<UnderWay> = new Set()): NextCheckpoint {
    const done: UnderWay[] = [];
    let progress = this.#progress;
    for (const one of this.#underWay) {
      if (one.state === 'unfinished' && !finishing.has(one)) return { progress, done };
      progress = { ...progress, ...(one.last && { last: one.last }), position: one.position };
      done.push(one);
    }
    return { progress: { ...progress, position: this.#readTo }, done };
  }

  /** The progress is moved there. */
  moved({ progress, done }: NextCheckpoint): void {
    this.#progress = progress;
    for (const one of done) this.#underWay.delete(one);
  }
}

export const skippedIn = ({ done }: NextCheckpoint): readonly string[] => [
  ...new Set(done.filter(({ state }) => state === 'skipped').map(({ stream }) => stream)),
];
