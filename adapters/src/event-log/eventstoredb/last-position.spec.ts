import { Readable } from 'node:stream';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import tap, { type Test } from 'tap';
import { KnownGaps } from './known-gaps.js';
import { LastPosition } from './last-position.js';
import { ownStreams } from './own-streams.js';
import { ReadCall } from './read-call.js';
import { atPosition } from './requests.js';

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
      const stream = Object.assign(Readable.from(answers(node, request)), GRPC_PARTS);
      return new ReadCall(async () => stream, {
        silenceMs: 10_000,
        signal,
        onSilence: () => undefined,
        isRedirect: async () => false,
      });
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
