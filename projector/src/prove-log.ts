import { randomUUID } from 'node:crypto';
import {
  type BrokenStream,
  EventVerifier,
  isOutage,
  type LogProof,
  monotonicMs,
  eventAt,
  isSwept,
  type Position,
  problemOf,
  type ProcessLogger,
  readProof,
  type ReadableEventLog,
  type RecordedEvent,
  repeatedly,
  saveProof,
  type Sleep,
  sleep as sleepByTimer,
  type Clock,
  type StateSnapshots,
} from '@rollcall/application/read';

/** A start has other work. */
const startMs = 30_000;
const tickMs = 5 * 60_000;
/** Another projector takes over from one that has been silent for this long. */
const lapsedMs = 3 * tickMs;
const saveEveryMs = 60_000;
/** After this much work the verification rests nine times as long. */
const sliceMs = 10;
const restRatio = 9;
const maxBroken = 100;

export interface ProveLogOptions {
  readonly log: Pick<ReadableEventLog, 'subscribeToAll' | 'readStream' | 'readLast' | 'lastPosition'>;
  readonly snapshots: StateSnapshots;
  readonly clock: Clock;
  /** How long one round over the whole log takes (ms); Infinity: none is made. */
  readonly everyMs: number;
  readonly logger?: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Verifies all of the log again and again, spread evenly; the first time at once. Its progress outlives the process. */
export class LogProver {
  readonly #options: ProveLogOptions;
  readonly #id = randomUUID();
  readonly #sleep: Sleep;
  #verifier: EventVerifier;
  #last: RecordedEvent | undefined;

  constructor(options: ProveLogOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? sleepByTimer;
    this.#verifier = new EventVerifier(options.log);
  }

  /** Verifies what is due, for a minute at most, and tells in how many ms to go on. */
  async tick(): Promise<number> {
    const now = this.#options.clock.now();
    const saved = await this.#saved();
    const isMine = saved?.by === this.#id;
    if (saved !== undefined && !isMine && Math.abs(now - saved.at) < lapsedMs) return tickMs;
    const before = isMine ? saved : await this.#takeOver(saved, now);
    const { isCurrent, proof } = await this.#verify({ ...before, by: this.#id, at: now });
    await this.#save(proof);
    return isCurrent ? tickMs : 0;
  }

  async #takeOver(saved: LogProof | undefined, now: number): Promise<Omit<LogProof, 'by' | 'at'>> {
    this.#verifier = new EventVerifier(this.#options.log);
    if (saved === undefined) return { verifiedTo: undefined, begunAt: now, wholeAt: null, broken: [] };
    return { ...saved, broken: await this.#stillBroken(saved.broken) };
  }

  async #save(proof: LogProof): Promise<void> {
    this.#last ??= await eventAt(this.#options.log, 'installation');
    if (this.#last === undefined) return;
    await saveProof(this.#options, { ...proof, at: this.#options.clock.now() }, this.#last);
  }

  async #saved(): Promise<LogProof | undefined> {
    const saved = await readProof(this.#options);
    const end = (await this.#options.log.lastPosition()) ?? -1n;
    return saved?.verifiedTo !== undefined && saved.verifiedTo > end ? undefined : saved;
  }

  async #verify(before: LogProof): Promise<{ readonly isCurrent: boolean; readonly proof: LogProof }> {
    const { log, signal } = this.#options;
    const end = (await log.lastPosition()) ?? -1n;
    const goal = this.#goal(before, end);
    const round = new Round(before);
    let [workedFrom, until] = [Infinity, Infinity];
    for await (const item of log.subscribeToAll({ after: before.verifiedTo, signal })) {
      if (item.kind === 'caught-up' || item.event.position > goal)
        return { isCurrent: true, proof: this.#ended(round.proof, goal, end) };
      // EventStoreDB sends nothing until it was searched for tombstones.
      workedFrom = Math.min(workedFrom, monotonicMs());
      until = Math.min(until, workedFrom + saveEveryMs);
      await this.#take(item.event, round);
      const worked = monotonicMs() - workedFrom;
      if (worked < sliceMs) continue;
      await this.#sleep(worked * restRatio, signal);
      if (signal.aborted || monotonicMs() >= until) break;
      workedFrom = monotonicMs();
    }
    return { isCurrent: false, proof: round.proof };
  }

  /** Evenly over the time of a round; all of it where nothing is known yet. */
  #goal({ begunAt, wholeAt, broken, at }: LogProof, end: Position): Position {
    const share =
      wholeAt === null && broken.length === 0 ? 1 : Math.abs(at - begunAt) / this.#options.everyMs;
    if (share >= 1) return end;
    return (end * BigInt(Math.max(0, Math.floor(share * 1e6)))) / 1_000_000n;
  }

  #ended(proof: LogProof, goal: Position, end: Position): LogProof {
    if (goal < end) return proof;
    const now = this.#options.clock.now();
    const broken = proof.broken.filter(({ foundAt }) => foundAt >= proof.begunAt);
    const wholeAt = broken.length === 0 ? now : proof.wholeAt;
    return { ...proof, verifiedTo: undefined, begunAt: now, wholeAt, broken };
  }

  async #take(event: RecordedEvent, round: Round): Promise<void> {
    try {
      await this.#verifier.take(event);
    } catch (error) {
      if (isOutage(error)) throw error;
      const { stream, revision } = event;
      const found = { stream, revision, problem: problemOf(error), foundAt: this.#options.clock.now() };
      if (round.add(found)) this.#options.logger?.error(found, 'the event log is broken');
    }
    round.verifiedTo = event.position;
    if (!isSwept(event.stream)) this.#last = event;
  }

  /** After a restore a stream is whole again. */
  async #stillBroken(broken: readonly BrokenStream[]): Promise<readonly BrokenStream[]> {
    const still: BrokenStream[] = [];
    for (const one of broken) if (await this.#isBroken(one.stream)) still.push(one);
    return still;
  }

  async #isBroken(stream: string): Promise<boolean> {
    const verifier = new EventVerifier(this.#options.log);
    try {
      for await (const event of this.#options.log.readStream(stream)) await verifier.take(event);
      return false;
    } catch (error) {
      if (isOutage(error)) throw error;
      return true;
    }
  }
}

class Round {
  verifiedTo: Position | undefined;
  readonly #before: LogProof;
  readonly #broken: Map<string, BrokenStream>;

  constructor(before: LogProof) {
    this.#before = before;
    this.verifiedTo = before.verifiedTo;
    this.#broken = new Map(before.broken.map((one) => [one.stream, one]));
  }

  /** False where this round knows it already. */
  add(found: BrokenStream): boolean {
    const known = this.#broken.get(found.stream);
    if (known !== undefined && known.foundAt >= this.#before.begunAt) return false;
    if (known !== undefined || this.#broken.size < maxBroken) this.#broken.set(found.stream, found);
    return known === undefined;
  }

  get proof(): LogProof {
    return { ...this.#before, verifiedTo: this.verifiedTo, broken: [...this.#broken.values()] };
  }
}

/** Until the signal aborts; a failure is retried at the next tick. */
export async function proveLog(options: ProveLogOptions): Promise<void> {
  if (options.everyMs === Infinity) return;
  const prover = new LogProver(options);
  const message = 'the event log could not be verified further';
  await repeatedly({ ...options, message, firstMs: startMs, everyMs: tickMs }, () => prover.tick());
}
