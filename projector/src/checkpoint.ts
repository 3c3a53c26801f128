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

/** Where the log is read to, and up to where everything is done: the checkpoint stops at the first gap. */
export class Checkpoint {
  readonly #installationId: string | null;
  /** In the order of the log. */
  readonly #underWay = new Set<UnderWay>();
  #readTo: Position | undefined;
  #progress: Progress;
  #skipped = new Set<string>();

  constructor(progress: Progress, installationId: string | null) {
    this.#progress = progress;
    this.#installationId = installationId;
    this.#readTo = progress.position;
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

  /** Where the progress may be moved to by now. */
  get next(): Progress {
    this.#pass();
    return this.count > 0 ? this.#progress : { ...this.#progress, position: this.#readTo };
  }

  /** Streams whose events were passed by up to there. */
  get skipped(): readonly string[] {
    return [...this.#skipped];
  }

  /** The progress is moved: they were told. */
  told(): void {
    this.#skipped.clear();
  }

  #pass(): void {
    for (const one of this.#underWay) {
      if (one.state === 'unfinished') return;
      if (one.state === 'skipped') this.#skipped.add(one.stream);
      this.#progress = { ...this.#progress, ...(one.last && { last: one.last }), position: one.position };
      this.#underWay.delete(one);
    }
  }
}
