import { Readable } from 'node:stream';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import tap, { type Test } from 'tap';
import { KnownGaps } from './known-gaps.js';
import { LastPosition } from './last-position.js';
import { ownStreams } from './own-streams.js';
import { ReadCall } from './read-call.js';
import { atPosition } from './requests.js';
import { deletedStreams } from './subscription.js';

interface Stored {
  readonly position: number;
  readonly stream: string;
}

/** A node of a cluster: what it has of the log, in order. */
type Node = readonly Stored[];

function eventMessage({ position, stream }: Stored): streams.ReadResp {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setStreamIdentifier(name);
  recorded.setCommitPosition(String(position));
  recorded.getMetadataMap().set('type', 'Something');
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  const message = new streams.ReadResp();
  message.setEvent(event);
  return message;
}

/** As a node answers a read: what it asks for, forwards (inclusive) or backwards. */
function found(node: Node, options: ReadReq.Options): readonly Stored[] {
  const isBackwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  if (!isBackwards) return node.filter(({ position }) => position >= positionOf(options));
  const end = options.getAll()?.hasPosition() === true ? positionOf(options) : Infinity;
  return node.filter(({ position }) => position < end).toReversed();
}

const positionOf = (options: ReadReq.Options): number =>
  Number(options.getAll()?.getPosition()?.getCommitPosition() ?? -1);

/** A subscription: what stands behind its place, and then that it is at the end. */
function followed(matches: readonly Stored[], after: number): streams.ReadResp[] {
  const confirmation = new streams.ReadResp();
  confirmation.setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
  const atEnd = new streams.ReadResp();
  atEnd.setCaughtUp(new streams.ReadResp.CaughtUp());
  const behind = matches.filter(({ position }) => position > after);
  return [confirmation, ...behind.map(eventMessage), atEnd];
}

function answers(node: Node, request: ReadReq): streams.ReadResp[] {
  const options = request.getOptions();
  if (options === undefined) return [];
  const own = options.hasFilter() ? node.filter(({ stream }) => stream.startsWith('company-')) : node;
  if (options.hasSubscription()) return followed(own, positionOf(options));
  return found(own, options).slice(0, Number(options.getCount())).map(eventMessage);
}

/** What a call has beside a stream's own. */
const GRPC_PARTS = {
  deserialize: () => new streams.ReadResp(),
  cancel: () => undefined,
  getPeer: () => '',
  getAuthContext: () => null,
};

function callOf(
  messages: Iterable<streams.ReadResp> | AsyncIterable<streams.ReadResp>,
  signal: AbortSignal,
): ReadCall {
  const stream = Object.assign(Readable.from(messages), GRPC_PARTS);
  return new ReadCall(async () => stream, {
    silenceMs: 10_000,
    signal,
    onSilence: () => undefined,
    isRedirect: async () => false,
  });
}

const tooSlow = Object.assign(new Error('10 ABORTED'), {
  code: 10,
  details:
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
});

/** As a server does whose client lags: some messages, and no end. */
async function* dropped(messages: readonly streams.ReadResp[]): AsyncGenerator<streams.ReadResp> {
  yield* messages;
  throw tooSlow;
}

/** A connection that leads to the first node for so many calls, and to the second one from then on. */
function moving(t: Test, nodes: readonly [Node, Node], isBefore: (calls: number) => boolean) {
  let calls = 0;
  let node: Node | undefined;
  const wire = {
    moves: 0,
    seekLeader: async () => undefined,
    read: (request: ReadReq, signal: AbortSignal) => {
      calls += 1;
      const next = nodes[isBefore(calls) ? 0 : 1];
      if (node !== undefined && next !== node) wire.moves += 1;
      node = next;
      return callOf(answers(node, request), signal);
    },
  };
  const gaps = new KnownGaps();
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  const last = new LastPosition(wire, ownStreams(''), {
    timeoutMs: 10_000,
    signal: closing.signal,
    withoutStreams: [],
    gaps,
    onShrunk: () => undefined,
  });
  return { last, gaps, wire };
}

/** The second node of these has less: it was cut off, or is behind. */
const whole: Node = [
  { position: 10, stream: 'company-1' },
  { position: 20, stream: 'others-1' },
  { position: 30, stream: 'company-2' },
  { position: 40, stream: 'others-1' },
];
const behind: Node = whole.slice(0, 2);

tap.test('the end of one node is never claimed with what another one has', async (t) => {
  for (let before = 1; before <= 8; before++) {
    const { last, gaps, wire } = moving(t, [whole, behind], (calls) => calls <= before);
    const end = await last.read();
    t.ok(end === 30n || (end === 10n && wire.moves > 0), `moved after call ${before}: ${String(end)}`);
    const begins = gaps.resumeFrom(atPosition(10n))?.commit ?? 0n;
    t.ok(begins < 30n, `moved after call ${before}: a subscription at 10 begins at ${begins}`);
  }
});

tap.test('nor where the look goes on from an earlier one', async (t) => {
  const grown: Node = [...whole, { position: 50, stream: 'company-1' }, { position: 60, stream: 'others-1' }];
  for (let before = 1; before <= 8; before++) {
    let [first, offset] = [true, 0];
    const { last, gaps } = moving(t, [grown, whole], (calls) => {
      if (first) offset = calls;
      return !first && calls - offset <= before;
    });
    t.equal(await last.read(), 30n);
    first = false;
    await last.read();
    const begins = gaps.resumeFrom(atPosition(30n))?.commit ?? 0n;
    t.ok(begins < 50n, `moved after call ${before}: a subscription at 30 begins at ${begins}`);
  }
});

/** What a second look comes to whose subscriptions are dropped behind so many events each, and where each began. */
async function lookDropped(t: Test, eventsBefore: readonly number[]) {
  const own = [50, 60, 70].map((position) => ({ position, stream: 'company-1' }));
  const grown: Node = [...whole, ...own, { position: 80, stream: 'others-1' }];
  let isGrown = false;
  const { last, wire } = moving(t, [whole, grown], () => !isGrown);
  await last.read();
  isGrown = true;
  const drops = [...eventsBefore];
  const places: number[] = [];
  const { read } = wire;
  wire.read = (request, signal) => {
    const options = request.getOptions();
    if (options?.hasSubscription() !== true) return read(request, signal);
    places.push(positionOf(options));
    const before = drops.shift();
    return before === undefined
      ? read(request, signal)
      : callOf(dropped(answers(grown, request).slice(0, 1 + before)), signal);
  };
  const end = await last.read().catch((error: unknown) => error);
  return { end, places };
}

tap.test('a look that the server drops because it lags goes on behind what it has seen', async (t) => {
  t.strictSame(await lookDropped(t, [1]), { end: 70n, places: [40, 50] });
  t.strictSame(await lookDropped(t, [0, 0, 2, 0, 0]), { end: 70n, places: [40, 40, 40, 60, 60, 60] });
});

tap.test('unless three bring nothing', async (t) => {
  const { end, places } = await lookDropped(t, [1, 0, 0, 0]);
  t.match(end, { name: 'EventLogUnavailable', message: /Consumer too slow/ });
  t.strictSame(places, [40, 50, 50, 50]);
});

tap.test('of the deleted streams those are kept that a subscription can meet', async (t) => {
  const names = ['own-company-1', 'own-payload-1', 'own-data-1', 'own-nothing', 'others-company-1'];
  const tombstones = names.map((stream, position) => ({ stream, position }));
  const read = (_: ReadReq, signal: AbortSignal) => callOf(followed(tombstones, -1), signal);
  const deleted = (without: readonly string[]) => {
    const from = { after: undefined, without, signal: new AbortController().signal };
    return deletedStreams({ wire: { read }, own: ownStreams('own-') }, from);
  };
  t.strictSame([...(await deleted(['payload-', 'data-']))], ['own-company-1']);
  t.strictSame([...(await deleted([]))], ['own-company-1', 'own-payload-1', 'own-data-1']);
});
