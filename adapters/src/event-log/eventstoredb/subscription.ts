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
import { isSystem, TOMBSTONES, type OwnStreams } from './own-streams.js';
import type { ReadCall } from './read-call.js';
import { recordedEvent } from './recorded-event.js';
import { atPosition, type AllPosition } from './requests.js';
import { endedEarly, follow, passedBy, scanToEnd } from './scan.js';
import { SilenceWatch } from './silence-watch.js';
import type { Wire } from './wire.js';

export interface Subscribing {
  readonly wire: Wire;
  readonly own: OwnStreams;
  /** The end of all streams, and that of those which are followed. */
  readonly last: LastPosition;
  readonly lastWanted: Pick<LastPosition, 'read'>;
  /** A live subscription that was silent for so long asks how far the leader is. */
  readonly silenceMs: number;
  /** Where no event stands that this choice of streams would bring. */
  readonly gaps: KnownGaps;
}

/** So many subscriptions may break one after the other without an event or the end in between. */
const MOST_FRUITLESS = 3;

/**
 * Follows the log until the signal aborts. The client's subscription never comes back after an error, and the server gives
 * up every live one that is 32 events behind ("Consumer too slow"): a new one goes on at once from the own position, and
 * there the server reads no faster than it is listened to. `EventLogUnavailable` where that does not help either.
 */
export async function* subscribe(
  deps: Subscribing,
  options: SubscriptionOptions,
): AsyncGenerator<SubscriptionItem> {
  const place = new Place(options.after, deps.gaps);
  const aborted = (): boolean => options.signal.aborted;
  while (!aborted()) {
    place.begin();
    try {
      const hasLeft = yield* subscribeOnce(deps, options, place);
      if (!hasLeft && !aborted()) throw endedEarly();
    } catch (error) {
      if (aborted()) return;
      if (!(error instanceof EventLogUnavailable) || !place.mayTryAgain()) throw error;
    }
  }
}

/** How far a subscription is. */
class Place {
  /** The last event that was delivered or skipped, or where the caller began. */
  #done: Position | undefined;
  /** Where the next subscription begins: behind that event, or behind others' events after it. */
  #resume: AllPosition | undefined;
  #isAnswered = false;
  #fruitless = 0;
  readonly #gaps: KnownGaps;

  constructor(after: Position | undefined, gaps: KnownGaps) {
    this.#done = after;
    this.#resume = after === undefined ? undefined : atPosition(after);
    this.#gaps = gaps;
  }

  get done(): Position | undefined {
    return this.#done;
  }

  get resume(): AllPosition | undefined {
    return this.#resume;
  }

  /** False where the event was delivered before. */
  take(position: Position): boolean {
    if (this.#done !== undefined && position <= this.#done) return false;
    this.#fruitless = 0;
    this.#done = position;
    this.pass(atPosition(position));
    return true;
  }

  /** What was not delivered up to there does not match. */
  pass(position: AllPosition): void {
    if (this.#resume !== undefined && position.commit <= this.#resume.commit) return;
    this.#resume = position;
    this.#gaps.note(this.#done, position);
  }

  caughtUp(end: Position | undefined): void {
    this.#fruitless = 0;
    if (end === undefined) return;
    this.pass(atPosition(end));
    if (this.#done === undefined || end > this.#done) this.#done = end;
  }

  begin(): void {
    this.#isAnswered = false;
  }

  answered(): void {
    this.#isAnswered = true;
  }

  /** Where a new subscription is not even answered the server is away. */
  mayTryAgain(): boolean {
    this.#fruitless += 1;
    return this.#isAnswered && this.#fruitless < MOST_FRUITLESS;
  }
}

/** True where it has to begin anew at another node, or because this one does not tell it what there is. */
async function* subscribeOnce(
  deps: Subscribing,
  { signal, withoutStreams = [] }: SubscriptionOptions,
  place: Place,
): AsyncGenerator<SubscriptionItem, boolean> {
  const { wire, own, last, gaps } = deps;
  const { moves } = wire;
  // Both are known before the server reads for the subscription: whatever stands up to that end is delivered before it
  // says that it has caught up.
  const end = await last.read();
  const after = gaps.beyond(place.resume);
  const deleted = await deletedStreams(wire, after, signal);
  const call = await follow(wire, { after, filter: own.filter({ without: withoutStreams }), signal });
  place.answered();
  const watch = new SilenceWatch(call, deps, place);
  const goLive = (): boolean => {
    // The end of another node is not reached with this one's.
    if (wire.moves !== moves) return false;
    call.allowSilence();
    place.caughtUp(end);
    watch.start();
    return true;
  };
  try {
    for await (const message of call.messages()) {
      const event = deliverable(message, { own, deleted, place });
      if (event !== undefined) yield { kind: 'event', event };
      if (message.hasCaughtUp() && !goLive()) return true;
      if (watch.isOn && (await isAtEnd(call))) yield { kind: 'caught-up', position: place.done };
    }
    return call.hasLeft;
  } finally {
    watch.stop();
  }
}

/** The message's event, where it has one that is wanted; notes how far the message leads in any case. */
function deliverable(
  message: ReadResp,
  { own, deleted, place }: { own: OwnStreams; deleted: ReadonlySet<string>; place: Place },
): RecordedEvent | undefined {
  const passed = passedBy(message);
  if (passed === undefined) return undefined;
  const { event, position } = passed;
  if (event === undefined) place.pass(position);
  if (event === undefined || !place.take(event.position)) return undefined;
  if (isSystem(event.type) || deleted.has(event.stream)) return undefined;
  const stream = own.nameOf(event.stream);
  return stream === undefined ? undefined : recordedEvent(event, stream);
}

/** Nothing more has come by the next turn of the event loop. */
async function isAtEnd(call: ReadCall): Promise<boolean> {
  if (call.hasBuffered) return false;
  await nextTurn();
  return !call.hasBuffered;
}

/** Names (with the prefix) of the streams that were deleted behind a position: their events are still in `$all`. */
async function deletedStreams(
  wire: Wire,
  after: AllPosition | undefined,
  signal: AbortSignal,
): Promise<Set<string>> {
  const deleted = new Set<string>();
  for await (const { event } of scanToEnd(wire, { after, filter: TOMBSTONES, signal }))
    if (event !== undefined) deleted.add(event.stream);
  return deleted;
}
