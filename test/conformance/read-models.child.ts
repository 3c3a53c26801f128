import { writeSync } from 'node:fs';
import { systemClock } from '@rollcall/application';
import { openStore } from './read-models.adapters.js';
import { DOCUMENTS, eventOf, STREAM } from './read-models.crash.js';
import { at } from './read-models.support.js';

const [adapter = '', location = ''] = process.argv.slice(2);

/**
 * Writes the same documents for ever, each time with the revision of their event, every other time with a move of the progress to
 * there, and says so on stdout.
 */
const store = await openStore(adapter, location, { clock: systemClock });
const [found] = await store.newest('streams', [[STREAM]]);
for (let revision = (found?.revision ?? -1) + 1; ; revision += 1) {
  const documents = eventOf(revision, DOCUMENTS);
  if (revision % 2 === 0) await store.write(documents);
  else if (!(await store.advance(await store.progress(), at(BigInt(revision)), { documents })))
    throw new Error('somebody else moved it');
  writeSync(1, `${revision}.\n`);
}
