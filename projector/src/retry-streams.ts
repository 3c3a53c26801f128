import {
  loadEvent,
  type LaggingStream,
  type ParkedStream,
  type DocumentWrite,
  type LoadedEvent,
  type Progress,
  isOutage,
  problemOf,
} from '@rollcall/application/read';
import { exclusively, type ProjectionRun } from './checkpointed-processor.js';
import { ahead, fromBatch, partsOf, WHILE_PROJECTED } from './projection.js';

/** How often a stream that is behind is said to be worked on. */
const BEAT_MS = 300;

/**
 * Projects a stream that is broken, after its mend, or behind, from the event on that was not applied, and calls it whole
 * again. Beside a running projector: the store lets nobody pass an event by once the stream is whole. `whole` also where
 * it was neither; `broken` where an event cannot be applied; `stopped` where the signal says so.
 */
export async function retryStreams(
  run: ProjectionRun,
  stream: string,
  signal?: AbortSignal,
): Promise<'whole' | 'stopped' | ParkedStream> {
  const apart = await parkedOf(run, stream);
  return apart === undefined ? 'whole' : new StreamRetries(run, apart, signal).toTheEnd();
}

type Apart = ParkedStream | LaggingStream;

async function parkedOf({ readModels }: ProjectionRun, stream: string): Promise<Apart | undefined> {
  const all = [...(await readModels.parkedStreams()), ...(await readModels.laggingStreams())];
  return all.find((one) => one.stream === stream);
}

/** Somebody else has called the stream whole, or works on a later event of it. */
class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

class Stopped extends Error {
  override readonly name = 'Stopped';
}

class StreamRetries {
  readonly #run: ProjectionRun;
  readonly #stream: string;
  readonly #recorded: number;
  readonly #signal: AbortSignal | undefined;
  #heartbeat: number | undefined;
  #lastHeartbeats = performance.now();
  /** The next event. */
  #revision: number;

  constructor(run: ProjectionRun, apart: Apart, signal: AbortSignal | undefined) {
    this.#run = run;
    this.#stream = apart.stream;
    this.#recorded = apart.revision;
    this.#revision = apart.revision;
    this.#heartbeat = 'beat' in apart ? apart.beat : undefined;
    this.#signal = signal;
  }

  async toTheEnd(): Promise<'whole' | 'stopped' | ParkedStream> {
    try {
      for (;;) {
        const broken = await this.#catchUp();
        if (broken !== undefined) return broken;
        if (await exclusively(this.#run, () => this.#markHealthy())) return 'whole';
      }
    } catch (error) {
      if (error instanceof Stopped) return 'stopped';
      if (error instanceof TakenOver) return (await this.#brokenByOthers()) ?? 'whole';
      throw error;
    }
  }

  async #brokenByOthers(): Promise<ParkedStream | undefined> {
    return (await this.#run.readModels.parkedStreams()).find(({ stream }) => stream === this.#stream);
  }

  /** Everything up to the progress of now; what lies behind that is projected after the stream is whole. */
  async #catchUp(): Promise<ParkedStream | undefined> {
    const { log, readModels } = this.#run;
    const { position } = await readModels.progress();
    for await (const recorded of log.readStream(this.#stream, { from: this.#revision })) {
      if (position === undefined || recorded.position > position) return undefined;
      try {
        await this.#applyAll(loadEvent(log, recorded));
      } catch (error) {
        if (isOutage(error) || error instanceof TakenOver || error instanceof Stopped) throw error;
        const broken = {
          stream: this.#stream,
          revision: recorded.revision,
          problem: problemOf(error, WHILE_PROJECTED),
        };
        await readModels.recordParked(broken);
        return broken;
      }
      this.#revision = recorded.revision + 1;
    }
    return undefined;
  }

  /** Where nothing of it is left up to the progress of this moment. */
  async #markHealthy(): Promise<boolean> {
    const { log, readModels } = this.#run;
    const progress = await readModels.progress();
    for await (const next of log.readStream(this.#stream, { from: this.#revision, limit: 1 }))
      if (progress.position !== undefined && next.position <= progress.position) return false;
    return readModels.clearParked(this.#stream, progress);
  }

  /** While one part is written the next is made. */
  async #applyAll(event: LoadedEvent): Promise<void> {
    const parts = partsOf(this.#run.projections, event);
    let index = 0;
    let coming = ahead(parts);
    for (let part = await coming; part.done !== true; part = await coming) {
      if (this.#signal?.aborted === true) throw new Stopped();
      coming = ahead(parts);
      await this.#recordHeartbeat();
      await this.#applyBeside(fromBatch(event, (index += 1), part.value));
    }
    await this.#run.onApplied?.(event);
  }

  async #recordHeartbeat(): Promise<void> {
    if (this.#heartbeat === undefined || performance.now() - this.#lastHeartbeats < BEAT_MS) return;
    this.#heartbeat += 1;
    this.#lastHeartbeats = performance.now();
    const { readModels } = this.#run;
    const behind = { stream: this.#stream, revision: this.#recorded, beat: this.#heartbeat };
    await exclusively(this.#run, async () => {
      await this.#ensureMine();
      await readModels.recordLagging(behind);
    });
  }

  async #ensureMine(): Promise<void> {
    const apart = await parkedOf(this.#run, this.#stream);
    if (apart?.revision !== this.#recorded) throw new TakenOver();
  }

  /** Writes without moving the progress, at whatever moment the projector leaves room for it. */
  #applyBeside(writes: readonly DocumentWrite[]): Promise<void> {
    const { readModels } = this.#run;
    return exclusively(this.#run, async () => {
      for (;;) {
        const progress: Progress = await readModels.progress();
        // Behind the progress: whoever is the stream's by now has moved it.
        await this.#ensureMine();
        if (await readModels.apply(progress, writes, progress, [this.#stream])) return;
      }
    });
  }
}
