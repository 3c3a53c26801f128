import { openEmbeddedReadModels } from '@rollcall/adapters';
import { ReadModelsUnavailable } from '@rollcall/application';

import { testCollections } from './read-models.adapters.js';
import { applied, put } from './read-models.support.js';
import { writable } from '../support/writable.js';

const [folder = ''] = process.argv.slice(2);
// The signal that the system sends with the error; a full disk sends none.
process.on('SIGXFSZ', () => undefined);

/** Writes until nothing fits any more, and says how far it came and what is there. */
const store = writable(await openEmbeddedReadModels({ folder, collections: testCollections }));
let outages = 0;
let problem = '';
for (let revision = 0; outages < 3;) {
  const stage = Array.from({ length: 1_000 }, (_, n) =>
    put([revision, n], { text: 'x'.repeat(500) }, { revision, collection: 'dated', indexed: { size: [n] } }),
  );
  try {
    await store.write([stage, [applied('company-7', revision)]]);
    revision += 1;
  } catch (error) {
    if (!(error instanceof ReadModelsUnavailable)) throw error;
    outages += 1;
    problem = error.message;
  }
}
let documents = 0;
for await (const batch of store.findBatches('dated', { prefix: [] })) documents += batch.length;
const [found] = await store.newest('streams', [['company-7']]);
console.log(JSON.stringify({ events: (found?.revision ?? -1) + 1, documents, problem }));
await store.close();
