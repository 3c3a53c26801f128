import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  EventLogUnavailable,
  type Position,
  type RecordedEvent,
  type SubscriptionItem,
  type SubscriptionOptions,
} from '@rollcall/application';
import type { KnownGaps } from './known-gaps.js';
import type { LastPosition } from './last-position.js';
import { isSystem, TOMBSTONES, type OwnStreams, type StreamChoice } from './own-streams.js';
import type { ReadCall } from './read-call.js';
import { recordedEvent } from './recorded-event.js';
import { atPosition, type AllPosition } from './requests.js';
import { endedEarly, follow, maxFruitless, passedBy, scanToEnd, type ScanOptions } from './scan.js';
import { SilenceWatch } from './silence-watch.js';
import type { Wire } from './wire.js';

interface Subscribing {
  readonly wire: Wire;
  readonly own: OwnStreams;
  readonly last: LastPosition;
  readonly lastWanted: Pick<LastPosition, 'read'>;
  readonly silenceMs: number;
  readonly gaps: KnownGaps;
}

/**
 * Follows the log until the signal aborts. The server drops a subscription that lags 32 events ("Consumer too slow"); the
 * client's own one does not recover. A new one resumes, with backpressure. `EventLogUnavailable` if that fails too.
 */
export async function* subscribe(
  deps: Subscribing,
  options: SubscriptionOptions,
): AsyncGenerator<SubscriptionItem> {
  const progress = new SubscriptionProgress(options, deps.gaps);
  const aborted = (): boolean => options.signal.aborted;
  while (!aborted()) {
    progress.begin();
    try {
      const hasLeft = yield* subscribeOnce(deps, options, progress);
      if (!hasLeft && !aborted()) throw endedEarly();
    } catch (error) {
      if (aborted()) return;
      if (!(error instanceof EventLogUnavailable) || !progress.mayTryAgain()) throw error;
    }
  }
}

class SubscriptionProgress {
  /** The last event delivered or skipped, or the caller's start. */
  #done: Position | undefined;
  /** Where to resume: after that event, or later foreign ones. */
  #resume: AllPosition | undefined;
  readonly #matching: string | undefined;
  /** The streams of this pass, and of the next one; undefined: all. */
  #chosen: string | undefined;
  #next: string | undefined;
  #isAnswered = false;
  #fruitless = 0;
  readonly #gaps: KnownGaps;

  constructor({ after, matching }: SubscriptionOptions, gaps: KnownGaps) {
    this.#matching = matching;
    this.#next = matching;
    this.#done = after;
    this.#resume = after === undefined ? undefined : atPosition(after);
    this.#gaps = gaps;
  }

  get done(): Position | undefined {
    return this.#done;
  }

  get chosen(): string | undefined {
    return this.#chosen;
  }

  get resume(): AllPosition | undefined {
    return this.#resume;
  }

  /** False for an event that was delivered before. */
  take(position: Position): boolean {
    if (this.#done !== undefined && position <= this.#done) return false;
    this.#fruitless = 0;
    this.#done = position;
    this.pass(atPosition(position));
    return true;
  }

  /** Undelivered events up to there do not match. */
  pass(position: AllPosition): void {
    if (this.#resume !== undefined && position.commit <= this.#resume.commit) return;
    this.#resume = position;
    if (this.#chosen === undefined) this.#gaps.note(this.#done, position);
  }

  caughtUp(end: Position | undefined): void {
    this.#fruitless = 0;
    if (end === undefined) return;
    this.pass(atPosition(end));
    if (this.#done === undefined || end > this.#done) this.#done = end;
  }

  begin(): void {
    this.#chosen = this.#next;
    this.#next = this.#matching;
    this.#isAnswered = false;
  }

  /** True where the pass has read what it was for: all that matches of the past. The next one reads all streams. */
  atEnd(): boolean {
    if (this.#chosen === undefined) return false;
    this.#next = undefined;
    // Others have events where only a choice was passed by.
    this.#resume = this.#done === undefined ? undefined : atPosition(this.#done);
    return true;
  }

  answered(): void {
    this.#isAnswered = true;
  }

  /** Without any answer the server is away. */
  mayTryAgain(): boolean {
    this.#fruitless += 1;
    return this.#isAnswered && this.#fruitless < maxFruitless;
  }
}

/** True: resubscribe, at another node, because this one lags, or for all streams. */
async function* subscribeOnce(
  deps: Subscribing,
  { signal, withoutStreams: without }: SubscriptionOptions,
  progress: SubscriptionProgress,
): AsyncGenerator<SubscriptionItem, boolean> {
  const { wire, own, last, gaps } = deps;
  const { moves } = wire;
  // Read before the subscription begins: events up to this end are delivered before `caught-up`.
  const end = await last.read();
  const after = gaps.resumeFrom(progress.resume);
  const deleted = await deletedStreams(deps, { after, without, signal });
  const filter = own.filter({ without, matching: progress.chosen });
  const call = await follow(wire, { after, filter, signal });
  progress.answered();
  const watch = new SilenceWatch(call, deps, progress);
  const goLive = (): boolean => {
    // Another node's end does not count for this one.
    if (wire.moves !== moves) return false;
    call.allowSilence();
    progress.caughtUp(end);
    watch.start();
    return true;
  };
  try {
    for await (const message of call.messages()) {
      const event = deliverable(message, { own, deleted, progress });
      if (event !== undefined) yield { kind: 'event', event };
      if (message.hasCaughtUp() && !goLive()) return true;
      if (!watch.isOn) continue;
      if (await isAtEnd(call)) yield { kind: 'caught-up', position: progress.done };
      if (progress.atEnd()) return true;
    }
    return call.hasLeft;
  } finally {
    watch.stop();
  }
}

function deliverable(
  message: ReadResp,
  {
    own,
    deleted,
    progress,
  }: { own: OwnStreams; deleted: ReadonlySet<string>; progress: SubscriptionProgress },
): RecordedEvent | undefined {
  const passed = passedBy(message);
  if (passed === undefined) return undefined;
  const { event, position } = passed;
  if (event === undefined) progress.pass(position);
  if (event === undefined || !progress.take(event.position)) return undefined;
  if (isSystem(event.type) || deleted.has(event.stream)) return undefined;
  const stream = own.nameOf(event.stream);
  return stream === undefined ? undefined : recordedEvent(event, stream);
}

async function isAtEnd(call: ReadCall): Promise<boolean> {
  if (call.hasBuffered) return false;
  await nextTurn();
  return !call.hasBuffered;
}

/** Own streams (with the prefix) deleted after a position: `$all` still has their events. */
export async function deletedStreams(
  { wire, own }: { readonly wire: Pick<Wire, 'read'>; readonly own: OwnStreams },
  { without, ...from }: Pick<ScanOptions, 'after' | 'signal'> & Pick<StreamChoice, 'without'>,
): Promise<Set<string>> {
  const deleted = new Set<string>();
  for await (const { event } of scanToEnd(wire, { ...from, filter: TOMBSTONES }))
    if (event !== undefined && own.nameOf(event.stream, without) !== undefined) deleted.add(event.stream);
  return deleted;
}
