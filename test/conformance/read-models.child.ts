import { writeSync } from 'node:fs';
import { systemClock } from '@rollcall/application';
import { openStore } from './read-models.adapters.js';
import { put, write } from './read-models.support.js';

const [adapter = '', location = ''] = process.argv.slice(2);

/** Writes the same documents for ever, each time with the position that they belong to, and says so on stdout. */
const store = await openStore(adapter, location, { clock: systemClock });
for (;;) {
  const position = String(((await store.progress()).position ?? 0n) + 1n);
  await write(store, ...Array.from({ length: 300 }, (_, n) => put([n], { position })));
  writeSync(1, `${position}.\n`);
}
