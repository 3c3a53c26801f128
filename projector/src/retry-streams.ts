import {
  damageOf,
  loadEvent,
  LogCorrupt,
  type DocumentWrite,
  type LaggingStream,
  type LoadedEvent,
  isOutage,
  problemOf,
  type ParkedStream,
  type StreamChanges,
} from '@rollcall/application/read';
import { exclusively, type ProjectionRun } from './projection-run.js';
import { ahead, fromBatch, partsOf, WHILE_PROJECTED } from './projection.js';
import { StreamChains, type VerifiedEvents } from './stream-chains.js';

/** `overtaken`: somebody else goes on with the stream. */
export type RetryOutcome = 'whole' | 'stopped' | 'overtaken' | ParkedStream;

/**
 * Projects a stream that is parked, after its mend, or lagging, from the first part on that was not applied, and marks it
 * healthy again. Beside a running projector: the store lets nobody skip an event once the stream is healthy. Several may
 * try at once: each write moves the place of the stream, and is refused where the stream stands anywhere else than the
 * writer left it. `whole` also where it was neither; a parked stream where an event cannot be applied; `stopped` where
 * the signal says so.
 */
export async function retryStreams(
  run: ProjectionRun,
  stream: string,
  signal?: AbortSignal,
): Promise<RetryOutcome> {
  const place = await placeOf(run, stream);
  return place === undefined ? 'whole' : new StreamRetry(run, place, signal).toTheEnd();
}

type Place = ParkedStream | LaggingStream;

async function placeOf({ readModels }: ProjectionRun, wanted: string): Promise<Place | undefined> {
  const all = [...(await readModels.parkedStreams()), ...(await readModels.laggingStreams())];
  return all.find(({ stream }) => stream === wanted);
}

const isSame = (one: Place, other: Place | undefined): boolean =>
  one.revision === other?.revision && (one.parts ?? 0) === (other.parts ?? 0);

class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

class Stopped extends Error {
  override readonly name = 'Stopped';
}

class StreamRetry {
  readonly #run: ProjectionRun;
  readonly #signal: AbortSignal | undefined;
  readonly #chains: StreamChains;
  /** Where the stream stands, as the store has it from the last write. */
  #place: Place;

  constructor(run: ProjectionRun, place: Place, signal: AbortSignal | undefined) {
    this.#run = run;
    this.#place = place;
    this.#signal = signal;
    this.#chains = new StreamChains(run);
  }

  async toTheEnd(): Promise<RetryOutcome> {
    try {
      return (await this.#parkedAsDamaged()) ?? (await this.#goOn());
    } catch (error) {
      if (error instanceof Stopped) return 'stopped';
      if (error instanceof Overtaken) return 'overtaken';
      throw error;
    }
  }

  /** What can be read of it looks whole: nothing is left of a stream that others have deleted. */
  async #parkedAsDamaged(): Promise<ParkedStream | undefined> {
    if (!('problem' in this.#place)) return undefined;
    const problem = await damageOf(this.#run.log, this.#place.stream);
    return problem === undefined ? undefined : this.#park(problem);
  }

  async #goOn(): Promise<'whole' | ParkedStream> {
    try {
      for (;;) {
        const parked = await this.#catchUp();
        if (parked !== undefined) return parked;
        if (await exclusively(this.#run, () => this.#markHealthy())) return 'whole';
      }
    } catch (error) {
      if (error instanceof LogCorrupt) return this.#park(error.message);
      throw error;
    }
  }

  async #park(problem: string): Promise<ParkedStream> {
    const { stream, revision, parts = 0 } = this.#place;
    const parked = { stream, revision, parts, problem };
    await this.#moveTo(parked);
    return parked;
  }

  /** Everything up to the progress of now; what lies behind that is projected after the stream is healthy. */
  async #catchUp(): Promise<ParkedStream | undefined> {
    const { log, readModels } = this.#run;
    const { position } = await readModels.progress();
    const { stream, revision } = this.#place;
    for await (const recorded of log.readStream(stream, { from: revision })) {
      if (position === undefined || recorded.position > position) return undefined;
      try {
        await this.#applyAll(loadEvent(log, recorded), await this.#chains.verify([recorded]));
      } catch (error) {
        if (isOutage(error) || error instanceof Overtaken || error instanceof Stopped) throw error;
        const parked = { stream, revision: recorded.revision, problem: problemOf(error, WHILE_PROJECTED) };
        await this.#moveTo(parked);
        return parked;
      }
    }
    return undefined;
  }

  /** Where nothing of it is left up to the progress of this moment. */
  async #markHealthy(): Promise<boolean> {
    const { log, readModels } = this.#run;
    const { stream, revision } = this.#place;
    const progress = await readModels.progress();
    for await (const next of log.readStream(stream, { from: revision, limit: 1 }))
      if (progress.position !== undefined && next.position <= progress.position) return false;
    if (await readModels.apply(progress, [], progress, { expected: this.#place, resumed: stream }))
      return true;
    await this.#ensureMine();
    return false;
  }

  /** While one part is written the next is made. */
  async #applyAll(event: LoadedEvent, chains: VerifiedEvents): Promise<void> {
    const { revision } = event;
    const applied = this.#place.parts ?? 0;
    const parts = partsOf(this.#run.projections, event);
    let index = 0;
    let coming = ahead(parts);
    for (let part = await coming; part.done !== true; part = await coming) {
      if (this.#signal?.aborted === true) throw new Stopped();
      coming = ahead(parts);
      index += 1;
      if (index <= applied) continue;
      await this.#moveTo({ ...this.#place, revision, parts: index }, fromBatch(event, index, part.value));
    }
    await this.#moveTo({ ...this.#place, revision: revision + 1, parts: 0 }, chains.writes);
    chains.written();
    await this.#run.onApplied?.(event);
  }

  /** Writes with the stream's place and without moving the progress, at whatever moment the projector leaves room for it. */
  #moveTo(next: Place, writes: readonly DocumentWrite[] = []): Promise<void> {
    const { readModels } = this.#run;
    const streams: StreamChanges = { expected: this.#place, setAside: next };
    return exclusively(this.#run, async () => {
      for (;;) {
        const progress = await readModels.progress();
        if (await readModels.apply(progress, writes, progress, streams)) break;
        await this.#ensureMine();
      }
      this.#place = next;
    });
  }

  async #ensureMine(): Promise<void> {
    if (!isSame(this.#place, await placeOf(this.#run, this.#place.stream))) throw new Overtaken();
  }
}
