import {
  allParts,
  areSameParts,
  isIn,
  lastProjectedOf,
  lowestPosition,
  movedTo,
  partOf,
  type Parts,
  positionOfPart,
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
  readonly isMoved: boolean;
  readonly done: readonly UnderWay[];
}

/** Of the parts that this projector holds, which move together. */
export class Checkpoint {
  readonly parts: Parts;
  /** All parts, which were together: no event is of others. */
  readonly #isWhole: boolean;
  readonly #installationId: string | null;
  readonly #underWay = new Set<UnderWay>();
  #readTo: Position | undefined;
  /** The newest event read, where it is none of these parts. */
  #passed: RecordedEvent | undefined;
  #progress: Progress;

  constructor(progress: Progress, parts: Parts, installationId: string | null) {
    this.parts = parts;
    this.#isWhole = parts === allParts && progress.parts === undefined;
    this.#progress = progress;
    this.#installationId = installationId;
    this.#readTo = lowestPosition(progress, parts);
  }

  /** Whether the event is to be applied: it is of one of the parts, and that one has not come so far. */
  concerns({ stream, position }: RecordedEvent): boolean {
    if (this.#isWhole) return true;
    const part = partOf(stream);
    return isIn(this.parts, part) && position > (positionOfPart(this.#progress, part) ?? -1n);
  }

  pass(event: RecordedEvent): void {
    this.#readTo = event.position;
    this.#passed = event;
  }

  get progress(): Progress {
    return this.#progress;
  }

  get readTo(): Position | undefined {
    return this.#readTo;
  }

  get count(): number {
    return this.#underWay.size;
  }

  begin(event: RecordedEvent): UnderWay {
    const { position, stream } = event;
    const one: UnderWay = { position, stream, last: this.#lastOf(event), state: 'unfinished' };
    this.#underWay.add(one);
    this.#readTo = position;
    this.#passed = undefined;
    return one;
  }

  #lastOf(event: RecordedEvent | undefined): LastProjected | undefined {
    const last = event && lastProjectedOf(event);
    return last && { installationId: this.#installationId, ...last };
  }

  /** No projected event lies between the last one and this position. */
  readUpTo(position: Position): void {
    if (this.#readTo === undefined || position > this.#readTo) this.#readTo = position;
  }

  next(finishing: ReadonlySet<UnderWay> = new Set()): NextCheckpoint {
    const done: UnderWay[] = [];
    for (const one of this.#underWay) {
      if (one.state === 'unfinished' && !finishing.has(one)) return this.#behind(done, done.at(-1)?.position);
      done.push(one);
    }
    return this.#behind(done, this.#readTo, this.#lastOf(this.#passed));
  }

  #behind(done: readonly UnderWay[], position: Position | undefined, passed?: LastProjected): NextCheckpoint {
    const last = passed ?? done.findLast((one) => one.last !== undefined)?.last;
    const before = this.#progress;
    const progress = movedTo(before, this.parts, { ...before, ...(last && { last }), position });
    return { progress, done, isMoved: !areSameParts(before, progress, this.parts) };
  }

  moved({ progress, done }: NextCheckpoint): void {
    this.#progress = progress;
    for (const one of done) this.#underWay.delete(one);
  }
}

export const skippedIn = ({ done }: NextCheckpoint): readonly string[] => [
  ...new Set(done.filter(({ state }) => state === 'skipped').map(({ stream }) => stream)),
];
