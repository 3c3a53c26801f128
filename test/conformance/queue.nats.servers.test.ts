import t from 'tap';
import { freshPrefix, natsUrl, skipWithoutNats } from './queue.nats.support.js';
import { queueConformance, queueCrashConformance, type Conformance } from './queue.suite.js';

if (skipWithoutNats) t.test('nats', { skip: skipWithoutNats }, () => undefined);
else {
  const url = await natsUrl();
  const conformance: Conformance = {
    adapter: 'nats',
    locate: async (t) => `${url} ${await freshPrefix(t, url)}`,
    time: 'real',
  };
  queueConformance(conformance);
  queueCrashConformance(conformance, { keepsDelivered: true });
}
