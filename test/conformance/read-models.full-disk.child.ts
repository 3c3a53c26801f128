import { openEmbeddedReadModels } from '@rollcall/adapters';
import { ReadModelsUnavailable } from '@rollcall/application';

import { put, write } from './read-models.support.js';

const [folder = ''] = process.argv.slice(2);
// The signal that the system sends with the error; a full disk sends none.
process.on('SIGXFSZ', () => undefined);

/** Writes until nothing fits any more, and says how far it came and what is there. */
const store = await openEmbeddedReadModels({ folder });
let outages = 0;
for (let batch = 0; outages < 3; batch += 1) {
  try {
    await write(
      store,
      ...Array.from({ length: 1_000 }, (_, n) => put([batch, n], { text: 'x'.repeat(500) })),
    );
  } catch (error) {
    if (!(error instanceof ReadModelsUnavailable)) throw error;
    outages += 1;
  }
}
let documents = 0;
for await (const batch of store.findBatches('things', { prefix: [] })) documents += batch.length;
console.log(JSON.stringify({ position: String((await store.progress()).position), documents }));
await store.close();
