import {
  loadEvent,
  LogCorrupt,
  UnwritableDocument,
  type DocumentWrite,
  type LoadedEvent,
  foreignReadModels,
  largeEventBytes,
  lastProjectedOf,
  readInstallation,
  type LastProjected,
  type Position,
  type Progress,
  type RecordedEvent,
  framesOf,
  isOutage,
  problemOf,
  type StreamChanges,
} from '@rollcall/application/read';
import { exclusively, type ProcessorInFlight, type ProjectionRun } from './projection-run.js';
import { ahead, fromBatch, partsOf, type Projection, WHILE_PROJECTED } from './projection.js';
import { StreamChains } from './stream-chains.js';

/** Small events share a transaction up to one of these. */
const BATCH_EVENTS = 500;
const BATCH_WRITES = 2_000;

interface Place {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
}

interface Taken extends Place {
  /** Absent where the event is skipped because its stream is set aside. */
  readonly event: LoadedEvent | undefined;
  readonly recorded: RecordedEvent | undefined;
  readonly writes: readonly DocumentWrite[];
}

const skipped = ({ stream, revision, position }: Place): Taken => ({
  stream,
  revision,
  position,
  event: undefined,
  recorded: undefined,
  writes: [],
});

/**
 * Projects events in the log's order from where the read models stand. Every method answers false when somebody else has
 * moved them meanwhile, or the signal aborts within a large event: then a new cursor has to be opened to go on.
 */
export class CheckpointedProcessor {
  readonly #run: ProjectionRun;
  readonly #parked: Set<string>;
  readonly #chains: StreamChains;
  readonly #installationId: string | null;
  #last: LastProjected | undefined;
  #progress: Progress;
  #position: Position | undefined;
  #taken: Taken[] = [];
  #writes = 0;
  #wasAtEnd = false;
  /** Transactions so far. */
  applied = 0;

  private constructor(
    run: ProjectionRun,
    progress: Progress,
    broken: Set<string>,
    installationId: string | null,
  ) {
    this.#run = run;
    this.#progress = progress;
    this.#last = progress.last;
    this.#installationId = installationId;
    this.#position = progress.position;
    this.#parked = broken;
    this.#chains = new StreamChains(run);
  }

  static async open(run: ProjectionRun): Promise<CheckpointedProcessor> {
    const progress = await run.readModels.progress();
    const broken = [...(await run.readModels.parkedStreams()), ...(await run.readModels.laggingStreams())];
    const foreign = await foreignReadModels(run.log, progress);
    if (foreign !== undefined) throw foreign;
    const installation = await readInstallation(run.log);
    const parked = new Set(broken.map(({ stream }) => stream));
    return new CheckpointedProcessor(run, progress, parked, installation?.installationId ?? null);
  }

  /** Up to here everything was taken. */
  get position(): Position | undefined {
    return this.#position;
  }

  async take(recorded: RecordedEvent): Promise<boolean> {
    const last = lastProjectedOf(recorded);
    if (last !== undefined) this.#last = { installationId: this.#installationId, ...last };
    if (this.#parked.has(recorded.stream)) return this.#add(skipped(recorded));
    try {
      const event = loadEvent(this.#run.log, recorded);
      if (this.#progress.parts > 0) return await this.#takeLarge(event, recorded);
      if (event.size > largeEventBytes) return await this.#takeOrLeave(event, recorded);
      const { stream, revision, position } = event;
      const writes = await allWrites(this.#run.projections, event);
      return await this.#add({ stream, revision, position, event, recorded, writes });
    } catch (error) {
      if (isOutage(error)) throw error;
      // What was taken before the event is written before the event is given up.
      if (!(await this.flush())) return false;
      return this.#park(recorded, error);
    }
  }

  /** Writes what was taken. The log is read to `position`, which may lie behind the last event that was taken. */
  async flush(position = this.#position): Promise<boolean> {
    const taken = this.#taken;
    if (taken.length === 0) return true;
    this.#taken = [];
    this.#writes = 0;
    try {
      return await this.#write(taken, position);
    } catch (error) {
      if (!isOfOneEvent(error)) throw error;
      return this.#writeEach(taken);
    }
  }

  /** Writes what was taken, and that the log is read to `position`. */
  async moveTo(position: Position): Promise<boolean> {
    if (!(await this.flush(position))) return false;
    const at = this.#progress.position;
    return at !== undefined && at >= position ? true : this.#apply([], { position, parts: 0 });
  }

  /**
   * The log is read to its present end. What was left out there is noted when a cursor comes to the end for the first
   * time, and otherwise with the next event: chunks of large data that come one by one cost no transactions.
   */
  async caughtUp(position: Position | undefined): Promise<boolean> {
    const isFirst = !this.#wasAtEnd;
    this.#wasAtEnd = true;
    return isFirst && position !== undefined ? this.moveTo(position) : this.flush(position);
  }

  async #add(taken: Taken): Promise<boolean> {
    this.#taken.push(taken);
    this.#writes += taken.writes.length;
    this.#position = taken.position;
    return this.#taken.length < BATCH_EVENTS && this.#writes < BATCH_WRITES ? true : this.flush();
  }

  #takeOrLeave(event: LoadedEvent, recorded: RecordedEvent): Promise<boolean> {
    const { lane } = this.#run;
    return lane?.wants(event.position) === true ? this.#leave(event, lane) : this.#takeLarge(event, recorded);
  }

  /** To the in-flight stream, once everything before it is written and the progress lies behind it. */
  async #leave(event: LoadedEvent, lane: ProcessorInFlight): Promise<boolean> {
    const { stream, revision } = event;
    if (!(await this.flush())) return false;
    if (!(await this.#setAside(event, { stream, revision }))) return false;
    lane.take(stream);
    return true;
  }

  /** The stream is skipped from the event on, by one write with the progress: nobody sees the one without the other. */
  async #setAside({ position }: Place, setAside: NonNullable<StreamChanges['setAside']>): Promise<boolean> {
    if (!(await this.#apply([], { position, parts: 0 }, { setAside }))) return false;
    this.#position = position;
    this.#parked.add(setAside.stream);
    return true;
  }

  /** While one part is written the next is made. */
  async #takeLarge(event: LoadedEvent, recorded: RecordedEvent): Promise<boolean> {
    if (!(await this.flush())) return false;
    await this.#chains.verify([recorded]);
    const before = this.#progress;
    const parts = partsOf(this.#run.projections, event);
    let index = 0;
    let coming = ahead(parts);
    for (let part = await coming; part.done !== true; part = await coming) {
      coming = ahead(parts);
      index += 1;
      if (index <= before.parts) continue;
      if (this.#run.signal?.aborted === true) return false;
      const writes = fromBatch(event, index, part.value);
      if (!(await this.#apply(writes, { position: before.position, parts: index }))) return false;
    }
    const { stream, revision, position } = event;
    return (await this.#add({ stream, revision, position, event, recorded, writes: [] })) && this.flush();
  }

  async #write(taken: readonly Taken[], position: Position | undefined): Promise<boolean> {
    const left = taken.filter(({ event }) => event === undefined).map(({ stream }) => stream);
    const recorded = taken.flatMap((one) => one.recorded ?? []);
    const chains = await this.#chains.verify(recorded);
    const writes = [...chains.writes, ...taken.flatMap((one) => one.writes)];
    if (!(await this.#apply(writes, { position, parts: 0 }, { skipped: [...new Set(left)] }))) return false;
    chains.written();
    for (const { event } of taken) if (event !== undefined) await this.#notify(event);
    return true;
  }

  /** One of them cannot be written, or its chain does not hold: each by itself, and that one is skipped. */
  async #writeEach(taken: readonly Taken[]): Promise<boolean> {
    for (const one of taken) {
      const chosen = this.#parked.has(one.stream) ? skipped(one) : one;
      if (!(await this.#writeOne(chosen))) return false;
    }
    return true;
  }

  async #writeOne(one: Taken): Promise<boolean> {
    try {
      return await this.#write([one], one.position);
    } catch (error) {
      if (!isOfOneEvent(error)) throw error;
      return this.#park(one, error);
    }
  }

  async #apply(
    writes: readonly DocumentWrite[],
    next: Progress,
    streams: StreamChanges = {},
  ): Promise<boolean> {
    const { readModels } = this.#run;
    const expected = this.#progress;
    const progress = this.#last === undefined ? next : { ...next, last: this.#last };
    const done = await exclusively(this.#run, () => readModels.apply(expected, writes, progress, streams));
    if (!done) return false;
    this.#progress = progress;
    this.applied += 1;
    return true;
  }

  async #park(place: Place, error: unknown): Promise<boolean> {
    const { stream, revision } = place;
    const problem = problemOf(error, WHILE_PROJECTED);
    if (!(await this.#setAside(place, { stream, revision, problem }))) return false;
    this.#run.logger?.error(
      { stream, revision, problem, frames: framesOf(error) },
      'a stream cannot be projected',
    );
    return true;
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

const isOfOneEvent = (error: unknown): boolean =>
  error instanceof UnwritableDocument || error instanceof LogCorrupt;

async function allWrites(projections: readonly Projection[], event: LoadedEvent): Promise<DocumentWrite[]> {
  const writes: DocumentWrite[] = [];
  let index = 0;
  for await (const part of partsOf(projections, event)) writes.push(...fromBatch(event, (index += 1), part));
  return writes;
}
