import { openMongodbReadModels } from '@rollcall/adapters';
import type { Document } from 'mongodb';
import t from 'tap';
import { testCollections } from './read-models.adapters.js';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { documents, put, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

t.test(
  'a document whose key ends with its revision is inserted, or replaces an older one',
  { skip: skipWithoutMongodb },
  async (t) => {
    const sent: Document[] = [];
    const store = writable(
      await openMongodbReadModels({
        url: freshDatabase(t, await mongodbUrl()),
        collections: testCollections,
        commandStarted: ({ command }) => void sent.push(command),
      }),
    );
    t.teardown(() => store.close());
    await write(store, put([7, 4], 'of 3', { revision: 3 }));
    sent.length = 0;
    await write(store, put([7, 4], 'of 4', { revision: 4 }), put([7, 5], 'of 5', { revision: 5 }));
    const writes = sent.filter((one) => 'insert' in one || 'update' in one);
    const counts = writes.map((one) => [lengthOf(one['documents']), lengthOf(one['updates'])]);
    t.strictSame(counts, [
      [2, 0],
      [0, 1],
    ]);
    await write(store, put([7, 4], 'again', { revision: 4 }), put([7, 5], 'older', { revision: 3 }));
    t.strictSame(await documents(store, { prefix: [7] }), ['of 4', 'of 5']);
  },
);
