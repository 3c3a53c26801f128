import { EventStoreDBClient, streamNameFilter, type Filter } from '@eventstore/db-client';
import { credentials, status } from '@grpc/grpc-js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import tap from 'tap';
import { until } from '../support/until.js';
import { shared, streams } from './eventstoredb-stand-in/protocol.js';
import {
  collect,
  event,
  failing,
  put,
  STAND_IN_ONLY,
  startServer,
  startStandIn,
  UNARY,
  WIRE,
} from './eventstoredb-stand-in.support.js';

tap.test('a repeat of what is not indexed yet is dropped', STAND_IN_ONLY, async (t) => {
  const { client, server, of } = await startStandIn(t, {
    args: ['--commit-delay-ms', '2000', '--commit-timeout-ms', '4000'],
  });
  const other = EventStoreDBClient.connectionString(server.url);
  t.teardown(() => other.dispose());
  const one = event();
  const send = (via: EventStoreDBClient, options = {}) =>
    via.appendToStream(of('a'), one, { expectedRevision: 'no_stream', ...options });
  const first = send(client, UNARY);
  await until('it is written', async () => (await failing(put(client, of('a'), 7n))).actualVersion === 0n);
  const timedOut = { message: /Operation timed out: Commit phase timeout\./ };
  const [unary, batch] = await Promise.all([failing(send(other, UNARY)), failing(send(other))]);
  t.match(unary, timedOut);
  t.match(batch, { type: 'deadline-exceeded' });
  t.equal((await first).nextExpectedRevision, 0n);
  t.equal((await send(other, UNARY)).nextExpectedRevision, 0n, 'later it is answered as a repeat');
  t.equal((await collect(client.readStream(of('a')))).length, 1);
});

tap.test('an append that is indexed too late fails, and is there', STAND_IN_ONLY, async (t) => {
  const { client, of } = await startStandIn(t, {
    args: ['--commit-delay-ms', '2000', '--commit-timeout-ms', '100'],
  });
  const late = client.appendToStream(of('a'), event(), { expectedRevision: 'no_stream', ...UNARY });
  t.match(await failing(late), { message: /Commit phase timeout/ });
  t.match(await failing(client.readStream(of('a'))), { type: 'stream-not-found' }, 'no reader sees it yet');
  const isThere = () =>
    collect(client.readStream(of('a'))).then(
      ({ length }) => length === 1,
      () => false,
    );
  await until('it is there', isThere, { everyMs: 20 });
});

tap.test('a connection carries 100 calls', async (t) => {
  const { client, of } = await startServer(t);
  let confirmed = 0;
  const subscriptions = Array.from({ length: 105 }, () =>
    client.subscribeToAll({ fromPosition: 'end' }).on('confirmation', () => (confirmed += 1)),
  );
  for (const subscription of subscriptions) subscription.resume();
  await until('the first hundred are there', () => confirmed >= 100);
  const late = await failing(client.appendToStream(of('a'), event(), { deadline: 300, ...UNARY }));
  t.match(late, { type: 'deadline-exceeded' });
  t.equal(confirmed, 100, 'the others never begin');
  await Promise.all(subscriptions.slice(0, 50).map((subscription) => subscription.unsubscribe()));
  await until('the others begin', () => confirmed === 105);
  t.equal((await put(client, of('a'), 'no_stream')).revision, 0n);
});

tap.test('a filter', async (t) => {
  const { client, server, of } = await startServer(t);
  await put(client, of('a#b-1'), 'no_stream');
  const found = async (filter: Filter) => {
    const subscription = client.subscribeToAll({ filter });
    (subscription as NodeJS.EventEmitter).on('caughtUp', () => void subscription.unsubscribe());
    return (await collect(subscription)).length;
  };
  t.equal(await found(streamNameFilter({ prefixes: [of('a#b-')] })), 1);
  t.equal(await found(streamNameFilter({ regex: `^${of('a#b-')}` })), 1);
  t.equal(await found(streamNameFilter({ regex: `^${of('a')}\\#b-` })), 1, 'what .NET takes');

  t.test('without a window is refused', WIRE, async (t) => {
    const wire = new streamServices.StreamsClient(server.address, credentials.createInsecure());
    t.teardown(() => wire.close());
    for (const isSubscription of [true, false]) {
      const refused = failing(wire.read(requestWithoutWindow(isSubscription)));
      t.match(await refused, { code: status.INVALID_ARGUMENT });
    }
  });
});

function requestWithoutWindow(isSubscription: boolean): streams.ReadReq {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex('^a');
  const filter = new streams.ReadReq.Options.FilterOptions();
  filter.setStreamIdentifier(expression);
  const where = new streams.ReadReq.Options.AllOptions();
  where.setStart(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setAll(where);
  options.setFilter(filter);
  if (isSubscription) options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  else options.setCount('1');
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
}
