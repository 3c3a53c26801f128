import { writeSync } from 'node:fs';
import { systemClock } from '@rollcall/application';
import { openSnapshots } from './snapshots.adapters.js';
import { filled } from './snapshots.support.js';

const [adapter = '', location = '', first = '0'] = process.argv.slice(2);

/** Puts one snapshot after the other for ever, and says so on stdout. */
const store = await openSnapshots(adapter, location, systemClock);
for (let revision = Number(first); ; revision += 1) {
  await store.put(filled(revision));
  writeSync(1, `${revision}.\n`);
}
