import { openMongodbReadModels } from '@rollcall/adapters';
import { ReadModelsLate } from '@rollcall/application';
import t from 'tap';
import { TcpProxy } from '../servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { testCollections } from './read-models.adapters.js';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { put, read, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

const skip = skipWithoutMongodb;

t.test('a write that an outage has cut off keeps no connection for ever', { skip }, async (t) => {
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
  const large = { ...put([2], {}), value: Buffer.alloc(12 * 1024 * 1024) };
  await t.rejects(write(store, large), ReadModelsLate);
  proxy.setMode('pass');
  const isRead = () => read(store, [1]).then(Boolean, () => false);
  await until('what was there is read again', isRead, { everyMs: 200 });
});
