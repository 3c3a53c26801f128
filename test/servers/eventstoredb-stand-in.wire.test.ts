import { randomUUID } from 'node:crypto';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { credentials, status } from '@grpc/grpc-js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import tap, { type Test } from 'tap';
import {
  empty,
  gossip,
  identifierOf,
  shared,
  streams,
  type features,
} from './eventstoredb-stand-in/protocol.js';
import { STAND_IN_ONLY, startServer, WIRE } from './eventstoredb-stand-in.support.js';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';

function idsAsText(): streams.ReadReq.Options.UUIDOption {
  const ids = new streams.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  return ids;
}

/** Events of `$all` whose streams are called so, from its beginning or backwards from its end. */
function allRequest(backwards: boolean, count: number, regex: string): streams.ReadReq {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(regex);
  const filter = new streams.ReadReq.Options.FilterOptions();
  filter.setStreamIdentifier(expression);
  filter.setCount(new shared.Empty());
  const where = new streams.ReadReq.Options.AllOptions();
  if (backwards) where.setEnd(new shared.Empty());
  else where.setStart(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setAll(where);
  const { BACKWARDS, FORWARDS } = streams.ReadReq.Options.ReadDirection;
  options.setReadDirection(backwards ? BACKWARDS : FORWARDS);
  options.setCount(String(count));
  options.setFilter(filter);
  options.setUuidOption(idsAsText());
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
}

async function namesOf(answers: AsyncIterable<unknown>): Promise<string[]> {
  const names: string[] = [];
  for await (const answer of answers) {
    const event = (answer as streams.ReadResp).getEvent()?.getEvent();
    names.push(Buffer.from(event?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString());
  }
  return names;
}

type Expecting = (options: streams.BatchAppendReq.Options) => void;

/** One batch append, without the client around it. */
async function batchAppender(t: Test) {
  const { server, client, of } = await startServer(t);
  const { address } = server;
  const wire = new streamServices.StreamsClient(address, credentials.createInsecure());
  const call = wire.batchAppend();
  call.on('error', () => undefined);
  t.teardown(() => (call.cancel(), wire.close()));
  const send = (stream: string, expecting: Expecting, bytes = 2): Promise<streams.BatchAppendResp> => {
    const options = new streams.BatchAppendReq.Options();
    options.setStreamIdentifier(identifierOf(stream === '' ? '' : of(stream)));
    options.setDeadline(timestamp.Timestamp.fromDate(new Date(Date.now() + 10_000)));
    expecting(options);
    const id = (): shared.UUID => {
      const uuid = new shared.UUID();
      uuid.setString(randomUUID());
      return uuid;
    };
    const message = new streams.BatchAppendReq.ProposedMessage();
    message.setId(id());
    message.getMetadataMap().set('type', 'T').set('content-type', 'application/json');
    message.setData(new Uint8Array(bytes));
    const request = new streams.BatchAppendReq();
    request.setCorrelationId(id());
    request.setOptions(options);
    request.addProposedMessages(message);
    request.setIsFinal(true);
    return new Promise((resolve) => {
      call.once('data', (answer: streams.BatchAppendResp) => {
        t.equal(answer.getCorrelationId()?.getString(), request.getCorrelationId()?.getString());
        resolve(answer);
      });
      call.write(request);
    });
  };
  return { send, call, client, address, of };
}

const noStream: Expecting = (options) => options.setNoStream(new empty.Empty());
const any: Expecting = (options) => options.setAny(new empty.Empty());
const exists: Expecting = (options) => options.setStreamExists(new empty.Empty());
const exactly =
  (revision: number): Expecting =>
  (options) =>
    options.setStreamPosition(String(revision));
const late: Expecting = (options) => options.setDeadline(timestamp.Timestamp.fromDate(new Date(0)));

/** The message that names the stream: two fields around the bytes of its name. */
function deletedDetails(stream: string): string {
  const name = Buffer.from(stream);
  return Buffer.concat([Buffer.from([0x0a, name.length + 2, 0x1a, name.length]), name]).toString('hex');
}

const errorOf = (answer: streams.BatchAppendResp) => ({
  code: answer.getError()?.getCode(),
  message: answer.getError()?.getMessage(),
  type: answer.getError()?.getDetails()?.getTypeUrl(),
  value: Buffer.from(answer.getError()?.getDetails()?.getValue_asU8() ?? []).toString('hex'),
});

const told = (code: number, message: string, value: string) => ({
  code,
  message,
  type: `type.googleapis.com/event_store.client.${message}`,
  value,
});

tap.test('answers to batch appends, byte for byte', WIRE, async (t) => {
  const { send, client, of } = await batchAppender(t);
  const first = await send('weaee57', noStream);
  t.equal(first.getSuccess()?.getCurrentRevision(), '0');
  const second = await send('weaee57', exactly(0));
  t.equal(second.getSuccess()?.getCurrentRevision(), '1');
  const position = second.getSuccess()?.getPosition();
  t.equal(position?.getCommitPosition(), position?.getPreparePosition());
  t.equal(Buffer.from(second.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(), of('weaee57'));

  const wrong = (value: string) => told(6, 'WrongExpectedVersion', value);
  t.strictSame(errorOf(await send('weaee57', noStream)), wrong('08013200'));
  t.strictSame(errorOf(await send('weaee57', exactly(7))), wrong('08011807'));
  t.strictSame(errorOf(await send('wmeaee57', exactly(3))), wrong('12001803'));
  t.strictSame(errorOf(await send('wmeaee57', exists)), wrong('12002a00'));
  t.strictSame(
    errorOf(await send('weaee57', any, 1_048_577)),
    told(3, 'MaximumAppendSizeExceeded', '08808040'),
  );
  t.strictSame(errorOf(await send('weaee57', late)), told(4, 'Timeout', ''));
  t.strictSame(
    errorOf(await send('', any)),
    told(
      3,
      'BadRequest',
      '0a2956616c75652063616e6e6f74206265206e756c6c2e2028506172616d65746572202776616c75652729',
    ),
  );
  await client.tombstoneStream(of('wteaee57'));
  t.strictSame(
    errorOf(await send('wteaee57', any)),
    told(5, 'StreamDeleted', deletedDetails(of('wteaee57'))),
  );
});

tap.test('a batch call that is ended while an append is under way ends with its answer', WIRE, async (t) => {
  const { send, call } = await batchAppender(t);
  const ended = new Promise((resolve) => call.once('end', resolve));
  const answer = send('ending', noStream);
  call.end();
  t.equal((await answer).getSuccess()?.getCurrentRevision(), '0');
  await ended;
});

tap.test('a read of a missing stream is one message and a good end', WIRE, async (t) => {
  const { address, of } = await batchAppender(t);
  const wire = new streamServices.StreamsClient(address, credentials.createInsecure());
  t.teardown(() => wire.close());
  const where = new streams.ReadReq.Options.StreamOptions();
  where.setStreamIdentifier(identifierOf(of('missing')));
  where.setStart(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setStream(where);
  options.setCount('10');
  options.setUuidOption(idsAsText());
  options.setNoFilter(new shared.Empty());
  const request = new streams.ReadReq();
  request.setOptions(options);
  const answers: streams.ReadResp[] = [];
  for await (const answer of wire.read(request)) answers.push(answer as streams.ReadResp);
  t.equal(answers.length, 1);
  t.ok(answers[0]?.hasStreamNotFound());
});

tap.test('a read of everything is filtered at the server, in both directions', WIRE, async (t) => {
  const { address, client, send, of } = await batchAppender(t);
  await send('red-1', noStream);
  await send('blue-1', noStream);
  await send('red-2', noStream);
  await client.tombstoneStream(of('blue-1'));
  const wire = new streamServices.StreamsClient(address, credentials.createInsecure());
  t.teardown(() => wire.close());
  const read = async (backwards: boolean, count: number, regex: string) => {
    return namesOf(wire.read(allRequest(backwards, count, regex)));
  };
  t.strictSame(await read(false, 10, `^${of('red-')}`), [of('red-1'), of('red-2')]);
  t.strictSame(await read(true, 1, `^${of('red-')}`), [of('red-2')]);
  t.strictSame(await read(true, 2, `^(?!\\$|${of('red-')})`), [of('blue-1'), of('blue-1')]);
  const unsaid = allRequest(false, 10, `^${of('red-')}`);
  unsaid.getOptions()?.clearUuidOption();
  await t.rejects(
    namesOf(wire.read(unsaid, { deadline: Date.now() + 500 })),
    { code: status.DEADLINE_EXCEEDED },
    'it never ends without a form of ids',
  );
});

tap.test('what the server says of itself', STAND_IN_ONLY, async (t) => {
  const { address } = await batchAppender(t);
  const featuresClient = new featureServices.ServerFeaturesClient(address, credentials.createInsecure());
  const gossipClient = new gossipServices.GossipClient(address, credentials.createInsecure());
  t.teardown(() => (featuresClient.close(), gossipClient.close()));
  const supported = await new Promise<features.SupportedMethods>((resolve, reject) =>
    featuresClient.getSupportedMethods(new shared.Empty(), (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    ),
  );
  t.equal(supported.getEventStoreServerVersion(), '23.10.8');
  t.strictSame(
    supported.getMethodsList().map((method) => [method.getMethodName(), method.getFeaturesList()]),
    [
      ['read', ['position', 'events']],
      ['append', []],
      ['delete', []],
      ['tombstone', []],
      ['batchappend', ['deadline_duration']],
    ],
  );
  const info = await new Promise<gossip.ClusterInfo>((resolve, reject) =>
    gossipClient.read(new shared.Empty(), (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    ),
  );
  const [member] = info.getMembersList();
  t.equal(member?.getState(), gossip.MemberInfo.VNodeState.LEADER);
  t.equal(`${member?.getHttpEndPoint()?.getAddress()}:${member?.getHttpEndPoint()?.getPort()}`, address);
});
