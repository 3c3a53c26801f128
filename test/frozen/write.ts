import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readModelCollections } from '@rollcall/application';
import { root } from '../architecture/source-files.js';
import { documentsFile, eventsOf, frozenLogs, projected } from './frozen-documents.js';
import { frozenPath, readFrozen } from './frozen-files.js';
import { frozenBodies, outcomesFile, outcomesOf } from './frozen-outcomes.js';

/** Writes the frozen files that are missing, as after a number was raised or a log was added. It changes none that is there. */
function writeMissing(name: string, text: string): void {
  if (readFrozen(name) !== undefined) return;
  const path = join(root, frozenPath(name));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`${frozenPath(name)}\n`);
}

for (const log of frozenLogs()) {
  const documents = await projected(eventsOf(log));
  for (const one of readModelCollections)
    writeMissing(documentsFile(log, one), documents.get(one.name) ?? '');
}
for (const bodies of frozenBodies()) writeMissing(outcomesFile(bodies), outcomesOf(bodies));
