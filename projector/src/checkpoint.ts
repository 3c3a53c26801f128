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
  #underWay: UnderWay[] = [];
  /** How many of them at the beginning are behind the checkpoint. */
  #passed = 0;
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
    return this.#underWay.length - this.#passed;
  }

  begin(event: RecordedEvent): UnderWay {
    const last = lastProjectedOf(event);
    const one: UnderWay = {
      position: event.position,
      stream: event.stream,
      last: last && { installationId: this.#installationId, ...last },
      state: 'unfinished',
    };
    this.#underWay.push(one);
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
    const { position, last } = this.#progress;
    const isWhole = this.count === 0 && this.#readTo !== undefined;
    const reached = isWhole ? this.#readTo : position;
    return { position: reached, ...(last !== undefined && { last }) };
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
    for (
      let one = this.#underWay[this.#passed];
      one && one.state !== 'unfinished';
      one = this.#underWay[this.#passed]
    ) {
      if (one.state === 'skipped') this.#skipped.add(one.stream);
      const last = one.last ?? this.#progress.last;
      this.#progress = { position: one.position, ...(last !== undefined && { last }) };
      this.#passed += 1;
    }
    if (this.#passed < 1_000 && this.count > 0) return;
    this.#underWay = this.#underWay.slice(this.#passed);
    this.#passed = 0;
  }
}
