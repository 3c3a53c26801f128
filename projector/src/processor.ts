import {
  atMost,
  type Later,
  foreignReadModels,
  framesOf,
  isOutage,
  loadEvent,
  type LoadedEvent,
  type Position,
  type ProgressChanges,
  progressOfHolder,
  readInstallation,
  releaseOwn,
  type RecordedEvent,
} from '@rollcall/application/read';
import {
  BusyStreams,
  type TakenEvent,
  Checkpoint,
  nextHead,
  skippedIn,
  StreamHeads,
  type UnderWay,
} from './checkpoint.js';
import { Overtaken, notify, projectionsBy, type ProjectionRun } from './projection.js';
import {
  Batch,
  type BatchEvent,
  type FailedEvent,
  firstOfEach,
  parkedBy,
  projectBatch,
  applyAlone,
  isLarge,
  prepareLoaded,
} from './project-batch.js';

const maxLargeInFlight = 2;
/** Events queued after large ones, or after a gap, before reading stops. */
const maxWaiting = 10_000;
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
const MOST_BEHIND_GAP = 100_000;
type Stoppable = ProjectionRun & { readonly signal: AbortSignal };

/**
 * Projects small events in batches, large ones concurrently, each stream in order. The checkpoint stops at the first gap.
 * Every method throws `Overtaken` after another process has moved it.
 */
export class Processor {
  readonly #run: ProjectionRun;
  readonly #checkpoint: Checkpoint;
  readonly #projectionsOf: ReturnType<typeof projectionsBy>;
  readonly #parked: Set<string>;
  readonly #heads: StreamHeads;
  readonly #busy = new BusyStreams();
  readonly #large = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #inTurn = atMost(1);
  readonly #besides = atMost(maxLargeInFlight);
  #batch = new Batch();
  #wasAtEnd = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;
  moved: () => void = () => undefined;

  private constructor(run: Stoppable, checkpoint: Checkpoint, parked: Set<string>) {
    this.#signal = AbortSignal.any([this.#stop.signal, run.signal]);
    this.#signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#run = { ...run, signal: this.#signal };
    this.#checkpoint = checkpoint;
    this.#projectionsOf = projectionsBy(run.projections, checkpoint.progress.copied);
    this.#parked = parked;
    this.#heads = new StreamHeads(run.readModels);
  }

  static async open(run: Stoppable): Promise<Processor> {
    const all = await run.readModels.progress();
    const progress = progressOfHolder(all, run.holder);
    const parked = new Set((await run.readModels.parkedStreams()).map(({ stream }) => stream));
    const foreign = await foreignReadModels(run.log, all);
    if (foreign !== undefined) throw foreign;
    if (progress.shares?.length === 0) throw new Overtaken('another projector has taken the parts');
    const installation = await readInstallation(run.log);
    const checkpoint = new Checkpoint(progress, installation?.installationId ?? null);
    return new Processor(run, checkpoint, parked);
  }

  get position(): Position | undefined {
    return this.#checkpoint.readTo;
  }

  get pattern(): string | undefined {
    return this.#checkpoint.pattern;
  }

  /** Aborts when work must stop: the next call reports why. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Does nothing after an abort, nor for an event of another's part, or one that is applied. Most small events are taken at once. */
  take(recorded: RecordedEvent): Later {
    if (!this.#checkpoint.concerns(recorded)) {
      this.#wasAtEnd = false;
      return this.#readUpTo(recorded.position);
    }
    if (this.#isFull() && !this.#signal.aborted)
      return new Promise<void>((resolve) => (this.#wake = resolve)).then(() => this.take(recorded));
    return this.#alone(() =>
      this.#signal.aborted ? undefined : this.#take({ recorded, underWay: this.#checkpoint.begin(recorded) }),
    );
  }

  /** At the log's end. Left-out events are noted the first time, then with the next event, so that chunks cost no writes. */
  caughtUp(position: Position | undefined): Later {
    return this.#alone(() => {
      const isNoted = !this.#wasAtEnd || this.#batch.events.length > 0;
      this.#wasAtEnd = true;
      if (isNoted) this.#readUpTo(position);
      return this.#flush();
    });
  }

  /** Resolves when everything taken is applied. `position` may lie after the last event. */
  async finish(position?: Position): Promise<void> {
    for (;;) {
      await this.#alone(() => {
        this.#readUpTo(position);
        return this.#flush();
      });
      if (this.#large.size === 0) return;
      await Promise.all(this.#large);
    }
  }

  /** Resolves when nothing is in flight. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#large);
  }

  /** After an abort, events before the position may be missing. */
  #readUpTo(position: Position | undefined): undefined {
    if (position !== undefined && !this.#signal.aborted) this.#checkpoint.readUpTo(position);
  }

  #isFull(): boolean {
    const { count, bytes } = this.#busy;
    if (count > maxWaiting || bytes > MOST_WAITING_BYTES) return true;
    return this.#large.size > 0 && this.#checkpoint.count > MOST_BEHIND_GAP;
  }

  /** Serialised. After a failure the taken events are lost, so later ones of those streams must not be taken. */
  #alone(work: () => Later): Later {
    const worked = this.#inTurn(() => {
      if (this.#failure !== undefined) return undefined;
      try {
        return work()?.catch((error: unknown) => this.#fail(error));
      } catch (error) {
        return this.#fail(error);
      }
    });
    const report = (): undefined => {
      if (this.#failure !== undefined) throw this.#failure.error;
    };
    return worked?.then(report) ?? report();
  }

  #take(taken: TakenEvent): Later {
    const { stream } = taken.recorded;
    const ifFull = (): Later => (this.#batch.isFull ? this.#flush() : undefined);
    if (this.#parked.has(stream)) taken.underWay.state = 'skipped';
    else if (this.#busy.has(stream)) this.#busy.wait(taken);
    else return this.#begin(taken)?.then(ifFull) ?? ifFull();
    return ifFull();
  }

  #begin(taken: TakenEvent): Later {
    try {
      const event = loadEvent(this.#run.log, taken.recorded);
      if (isLarge(this.#run, event)) return this.#beginLarge(taken, event);
      const prepared = prepareLoaded(this.#projectionsOf(event), event);
      if (!(prepared instanceof Promise)) return this.#batch.add({ ...taken, prepared });
      return prepared.then(
        (later) => this.#batch.add({ ...taken, prepared: later }),
        (error: unknown) => this.#cannotRead(taken, error),
      );
    } catch (error) {
      return this.#cannotRead(taken, error);
    }
  }

  /** The checkpoint stops before it until its stream is parked. */
  #cannotRead(taken: TakenEvent, error: unknown): undefined {
    if (isOutage(error)) throw error;
    this.#parked.add(taken.recorded.stream);
    this.#batch.unreadable.push({ failed: taken, error });
  }

  /** Earlier events of its stream are written first; later ones wait. */
  async #beginLarge(taken: TakenEvent, event: LoadedEvent): Promise<void> {
    await this.#flush();
    if (this.#parked.has(event.stream)) return void (taken.underWay.state = 'skipped');
    this.#busy.begin(event.stream);
    const work = Promise.resolve(this.#besides(() => this.#projectLarge(taken.recorded, event)))
      .then(
        () => this.#alone(() => this.#largeEnded(taken)),
        (error: unknown) => this.#alone(() => this.#largeFailed(taken, error)),
      )
      .catch(() => undefined)
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
      await applyAlone({ ...this.#run, projections: this.#projectionsOf(event) }, event, next);
      this.#heads.keep([[stream, next]]);
    }
    await notify(this.#run, event);
  }

  async #largeEnded(taken: TakenEvent): Promise<void> {
    taken.underWay.state = 'finished';
    await this.#goOn(taken.recorded.stream);
  }

  async #largeFailed(taken: TakenEvent, error: unknown): Promise<void> {
    if (this.#signal.aborted) return;
    if (isOutage(error)) throw error;
    await this.#park([{ failed: taken, error }]);
    await this.#goOn(taken.recorded.stream);
  }

  async #goOn(stream: string): Promise<void> {
    for (const waited of this.#busy.end(stream)) await this.#take(waited);
    await this.#flush();
  }

  #fail(error: unknown): undefined {
    this.#failure ??= { error };
    this.#stop.abort();
  }

  async #flush(): Promise<void> {
    const { events, unreadable } = this.#batch;
    this.#batch = new Batch();
    const failed = await projectBatch(this.#run, this.#heads, events, (documents, applied) =>
      this.#advance({ documents }, new Set(applied.map(({ underWay }) => underWay))),
    );
    const failures = [...failed, ...unreadable];
    for (const one of events) if (this.#hasEnded(one, failures)) await notify(this.#run, one.prepared.event);
    await (failures.length > 0 ? this.#park(failures) : this.#advance());
    for (const { recorded } of events) releaseOwn(recorded.data);
  }

  #hasEnded({ recorded, underWay }: BatchEvent, failures: readonly FailedEvent[]): boolean {
    const isFailed = failures.some(
      ({ failed: { recorded: failed } }) =>
        failed.stream === recorded.stream && failed.revision <= recorded.revision,
    );
    underWay.state = isFailed ? 'skipped' : 'finished';
    return !isFailed && this.#run.onApplied !== undefined;
  }

  /** In one write: no event may be skipped before its stream is parked. */
  async #park(failures: readonly FailedEvent[]): Promise<void> {
    const firsts = firstOfEach(failures);
    for (const { failed } of failures) failed.underWay.state = 'skipped';
    for (const stream of firsts.keys()) this.#parked.add(stream);
    const park = [...firsts.values()].map(parkedBy);
    await this.#advance({ park });
    for (const { stream, revision, problem } of park) {
      const frames = framesOf(firsts.get(stream)?.error);
      this.#run.logger?.error({ stream, revision, problem, frames }, 'a stream cannot be projected');
    }
  }

  async #advance(changes: ProgressChanges = {}, finishing?: ReadonlySet<UnderWay>): Promise<void> {
    const { readModels, holder } = this.#run;
    const { park = [], documents } = changes;
    const before = this.#checkpoint.progress;
    const next = this.#checkpoint.next(finishing);
    if (next.progress.position === before.position && park.length === 0)
      return documents && readModels.write(documents);
    const parked = new Set(park.map(({ stream }) => stream));
    const skipped = skippedIn(next).filter((stream) => !parked.has(stream));
    const isMine = await readModels.advance(before, next.progress, { ...changes, skipped, holder });
    if (!isMine) throw new Overtaken('another projector has moved the progress');
    this.#checkpoint.moved(next);
    this.moved();
  }
}
