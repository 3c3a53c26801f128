import {
  foreignReadModels,
  framesOf,
  isOutage,
  loadEvent,
  type LoadedEvent,
  type Position,
  problemOf,
  type ProgressChanges,
  readInstallation,
  type RecordedEvent,
} from '@rollcall/application/read';
import { BusyStreams, type TakenEvent } from './busy-streams.js';
import { Checkpoint, skippedIn, type UnderWay } from './checkpoint.js';
import { Overtaken } from './overtaken.js';
import { type BatchEvent, type FailedEvent, projectBatch } from './project-batch.js';
import { applyAlone, isLarge, prepareLoaded } from './project-event.js';
import { WHILE_PROJECTED } from './projection.js';
import type { ProjectionRun } from './projection-run.js';
import { nextHead, StreamHeads } from './stream-heads.js';
import { atMost } from './turns.js';

/** Small events share a write up to one of these. */
const BATCH_EVENTS = 500;
const BATCH_WRITES = 2_000;

/** So many large events are under way at once. */
const MOST_LARGE = 2;

/** When so much waits behind large events, or behind the gap that they leave, no more is read. */
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
const MOST_BEHIND_GAP = 100_000;

type Stoppable = ProjectionRun & { readonly signal: AbortSignal };

/**
 * Projects events as they are read: small ones in batches, large ones beside them, each stream in its order. The progress is moved to
 * the first gap. Every method throws `Overtaken` when somebody else has moved it meanwhile.
 */
export class Processor {
  readonly #run: ProjectionRun;
  readonly #checkpoint: Checkpoint;
  readonly #parked: Set<string>;
  readonly #heads: StreamHeads;
  readonly #busy = new BusyStreams();
  readonly #large = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #inTurn = atMost(1);
  readonly #besides = atMost(MOST_LARGE);
  #batch: BatchEvent[] = [];
  #writes = 0;
  #wasAtEnd = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;
  /** Called with each move of the progress. */
  moved: () => void = () => undefined;

  private constructor(run: Stoppable, checkpoint: Checkpoint, parked: Set<string>) {
    this.#run = { ...run, signal: AbortSignal.any([this.#stop.signal, run.signal]) };
    this.#checkpoint = checkpoint;
    this.#parked = parked;
    this.#heads = new StreamHeads(run.readModels);
  }

  static async open(run: Stoppable): Promise<Processor> {
    const progress = await run.readModels.progress();
    const parked = new Set((await run.readModels.parkedStreams()).map(({ stream }) => stream));
    const foreign = await foreignReadModels(run.log, progress);
    if (foreign !== undefined) throw foreign;
    const installation = await readInstallation(run.log);
    const checkpoint = new Checkpoint(progress, installation?.installationId ?? null);
    return new Processor(run, checkpoint, parked);
  }

  /** The log is read to here. */
  get position(): Position | undefined {
    return this.#checkpoint.readTo;
  }

  /** Aborts when it makes no sense to go on: the next call tells why. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  async take(recorded: RecordedEvent): Promise<void> {
    while (this.#isFull() && this.#failure === undefined)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    await this.#alone(() => this.#take({ recorded, underWay: this.#checkpoint.begin(recorded) }));
  }

  /**
   * The log is read to its present end. What was left out there is noted when that comes for the first time, and otherwise
   * with the next event: chunks of large data that come one by one cost no writes.
   */
  caughtUp(position: Position | undefined): Promise<void> {
    return this.#alone(() => {
      const isNoted = !this.#wasAtEnd || this.#batch.length > 0;
      this.#wasAtEnd = true;
      if (position !== undefined && isNoted) this.#checkpoint.readUpTo(position);
      return this.#flush();
    });
  }

  /** Resolves when all that was taken is applied. The log is read to `position`, which may lie behind the last event. */
  async finish(position?: Position): Promise<void> {
    for (;;) {
      await this.#alone(() => {
        if (position !== undefined) this.#checkpoint.readUpTo(position);
        return this.#flush();
      });
      if (this.#large.size === 0) return;
      await Promise.all(this.#large);
    }
  }

  /** Resolves when nothing of it is under way any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#large);
  }

  #isFull(): boolean {
    const { count, bytes } = this.#busy;
    if (count > MOST_WAITING || bytes > MOST_WAITING_BYTES) return true;
    return this.#large.size > 0 && this.#checkpoint.count > MOST_BEHIND_GAP;
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#failure === undefined) await work();
    });
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #take(taken: TakenEvent): Promise<void> {
    const { stream } = taken.recorded;
    if (this.#parked.has(stream)) taken.underWay.state = 'skipped';
    else if (this.#busy.has(stream)) this.#busy.wait(taken);
    else await this.#begin(taken);
    if (this.#batch.length >= BATCH_EVENTS || this.#writes >= BATCH_WRITES) await this.#flush();
  }

  async #begin(taken: TakenEvent): Promise<void> {
    const { log, projections } = this.#run;
    try {
      const event = loadEvent(log, taken.recorded);
      if (isLarge(this.#run, event)) return await this.#beginLarge(taken, event);
      const prepared = await prepareLoaded(projections, event);
      this.#batch.push({ ...taken, prepared });
      this.#writes += prepared.changes.length;
    } catch (error) {
      if (isOutage(error)) throw error;
      // What was taken before the event is written before the event is given up.
      await this.#flush();
      await this.#park(taken, error);
    }
  }

  /** What stands before it on its stream is written before it begins, what stands behind it waits. */
  async #beginLarge(taken: TakenEvent, event: LoadedEvent): Promise<void> {
    await this.#flush();
    if (this.#parked.has(event.stream)) return;
    this.#busy.begin(event.stream);
    const work = this.#besides(() => this.#projectLarge(taken.recorded, event))
      .then(
        () => this.#inTurn(() => this.#largeEnded(taken)),
        (error: unknown) => this.#largeFailed(taken, error),
      )
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#large.delete(work);
        this.#wake();
      });
    this.#large.add(work);
  }

  async #projectLarge(recorded: RecordedEvent, event: LoadedEvent): Promise<void> {
    const { stream, revision } = event;
    const head = (await this.#heads.read([stream])).get(stream);
    if (head === undefined || head.revision < revision) {
      const next = nextHead(head, recorded);
      await applyAlone(this.#run, event, next);
      this.#heads.keep([[stream, next]]);
    }
    await this.#notify(event);
  }

  async #largeEnded(taken: TakenEvent): Promise<void> {
    taken.underWay.state = 'finished';
    await this.#goOn(taken.recorded.stream);
  }

  async #largeFailed(taken: TakenEvent, error: unknown): Promise<void> {
    if (this.#run.signal?.aborted === true) return;
    if (isOutage(error)) throw error;
    await this.#inTurn(async () => {
      await this.#park(taken, error);
      await this.#goOn(taken.recorded.stream);
    });
  }

  async #goOn(stream: string): Promise<void> {
    for (const waited of this.#busy.end(stream)) await this.#take(waited);
    await this.#flush();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort();
  }

  /** Writes what was taken, and moves the progress as far as it may go. */
  async #flush(): Promise<void> {
    const events = this.#batch;
    this.#batch = [];
    this.#writes = 0;
    const failures = await projectBatch(this.#run, this.#heads, events, (documents, applied) =>
      this.#advance({ documents }, new Set(applied.map(({ underWay }) => underWay))),
    );
    for (const one of events) await this.#ended(one, failures);
    for (const { failed, error } of failures) await this.#park(failed, error);
    await this.#advance();
  }

  async #ended(
    { recorded, underWay, prepared }: BatchEvent,
    failures: readonly FailedEvent[],
  ): Promise<void> {
    const isFailed = failures.some(
      ({ failed: { recorded: failed } }) =>
        failed.stream === recorded.stream && failed.revision <= recorded.revision,
    );
    underWay.state = isFailed ? 'skipped' : 'finished';
    if (!isFailed) await this.#notify(prepared.event);
  }

  async #park({ recorded, underWay }: TakenEvent, error: unknown): Promise<void> {
    const { stream, revision } = recorded;
    const problem = problemOf(error, WHILE_PROJECTED);
    underWay.state = 'skipped';
    this.#parked.add(stream);
    await this.#advance({ park: { stream, revision, problem } });
    this.#run.logger?.error(
      { stream, revision, problem, frames: framesOf(error) },
      'a stream cannot be projected',
    );
  }

  /** Once `finishing` are finished too, which what is written with it makes them. */
  async #advance(changes: ProgressChanges = {}, finishing?: ReadonlySet<UnderWay>): Promise<void> {
    const { readModels } = this.#run;
    const { park, documents } = changes;
    const before = this.#checkpoint.progress;
    const next = this.#checkpoint.next(finishing);
    if (next.progress.position === before.position && park === undefined)
      return documents && readModels.write(documents);
    const skipped = skippedIn(next).filter((stream) => stream !== park?.stream);
    const isMine = await readModels.advance(before, next.progress, { ...changes, skipped });
    if (!isMine) throw new Overtaken('another projector has moved the progress');
    this.#checkpoint.moved(next);
    this.moved();
  }

  async #notify(event: LoadedEvent): Promise<void> {
    try {
      await this.#run.onApplied?.(event);
    } catch (error) {
      if (isOutage(error)) throw error;
      const { stream, revision } = event;
      this.#run.logger?.warn(
        { stream, revision, problem: problemOf(error), frames: framesOf(error) },
        'not done after an event',
      );
    }
  }
}
