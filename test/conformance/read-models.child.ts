import { writeSync } from 'node:fs';
import { systemClock } from '@rollcall/application';
import { openStore } from './read-models.adapters.js';
import { DOCUMENTS, eventOf, STREAM } from './read-models.crash.js';

const [adapter = '', location = ''] = process.argv.slice(2);

/** Writes the same documents for ever, each time with the revision of their event, and says so on stdout. */
const store = await openStore(adapter, location, { clock: systemClock });
const [found] = await store.newest('streams', [[STREAM]]);
for (let revision = (found?.revision ?? -1) + 1; ; revision += 1) {
  await store.write(eventOf(revision, DOCUMENTS));
  writeSync(1, `${revision}.\n`);
}
