import t from 'tap';
import { freshPrefix, natsUrl, skipWithoutNats } from './queue.nats.support.js';
import { queueConformance } from './queue.suite.js';

if (skipWithoutNats) t.test('nats', { skip: skipWithoutNats }, () => undefined);
else {
  const url = await natsUrl();
  queueConformance({
    adapter: 'nats',
    locate: async (t) => `${url} ${await freshPrefix(t, url)}`,
    time: 'real',
  });
}
