import tap from 'tap';
import { frozenPath, readFrozen } from './frozen-files.js';
import { frozenBodies, outcomesFile, outcomesOf } from './frozen-outcomes.js';

const toDo =
  'raise rulesNumber in host/src/import-threads/rules-version.ts by one, build, and run: node test/dist/frozen/write.js';

for (const bodies of frozenBodies()) {
  tap.test(`the outcomes of ${bodies} are those of the rules' number`, async (t) => {
    const file = outcomesFile(bodies);
    t.equal(outcomesOf(bodies), readFrozen(file), `${frozenPath(file)} says otherwise: ${toDo}`);
  });
}
