import { openMongodbReadModels } from '@rollcall/adapters';
import { ReadModelsLate, ReadModelsUnavailable } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { TcpProxy } from '../servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { testCollections } from './read-models.adapters.js';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { put, read, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

const skip = skipWithoutMongodb;

/** A store whose one connection an outage cuts off in the midst of a write, with what was written before. */
async function cutOff(t: Test) {
  const url = new URL(freshDatabase(t, await mongodbUrl()));
  const proxy = await TcpProxy.start(Number(url.port));
  t.teardown(() => proxy.stop());
  url.port = String(proxy.port);
  url.searchParams.set('directConnection', 'true');
  let isCutOff = false;
  const store = writable(
    await openMongodbReadModels({
      url: url.href,
      collections: testCollections,
      readMs: 1_000,
      writeMs: 8_000,
      poolSize: 1,
      commandStarted: ({ commandName }) => {
        if (isCutOff && commandName === 'update') proxy.setMode('swallow');
      },
    }),
  );
  t.teardown(() => store.close());
  await write(store, put([1], { n: 1 }));
  isCutOff = true;
  // More than the system takes for a server that reads nothing.
  const large = { ...put([2], {}, { revision: 9 }), value: Buffer.alloc(12 * 1024 * 1024) };
  await t.rejects(write(store, large), ReadModelsLate);
  const untilRead = () =>
    until('what was there is read again', () => read(store, [1]).then(Boolean, () => false), {
      everyMs: 200,
    });
  return { proxy, store, untilRead };
}

tap.test('a write that an outage has cut off keeps no connection for ever', { skip }, async (t) => {
  const { proxy, untilRead } = await cutOff(t);
  proxy.setMode('pass');
  await untilRead();
});

tap.test('a connection that is made anew while no server is there', { skip }, async (t) => {
  const { proxy, store, untilRead } = await cutOff(t);
  proxy.setMode('refuse');
  // Made anew after 5 s; the first call after that finds no server.
  for (let failed = 0; failed < 9; failed += 1) await t.rejects(read(store, [1]), ReadModelsUnavailable);

  proxy.setMode('pass');
  await untilRead();
});
