import { setTimeout as wait } from 'node:timers/promises';
import tap from 'tap';
import { readModelLag } from './read-model-lag.js';

tap.test('a log and read models that are both away are one failure', async (t) => {
  const stores = {
    clock: { now: () => 0 },
    log: {
      lastPosition: async () => 10n,
      readLast: async () => undefined,
      readStream: async function* () {},
      // eslint-disable-next-line require-yield
      subscribeToAll: async function* () {
        throw new Error('the log is away');
      },
    },
    readModels: {
      progress: async () => ({ position: 1n, parts: 0 }),
      generations: async () => [],
      laggingStreams: async () => {
        // The log fails while nobody waits for it yet, which would end the process.
        await wait(20);
        throw new Error('the read models are away');
      },
    },
  };
  await t.rejects(readModelLag(stores, new AbortController().signal), /away/);
});
