import { readModelCollections } from '@rollcall/application';
import tap from 'tap';
import { readSnapshot } from '../architecture/catalogue-snapshot.js';
import { documentsFile, eventsOf, frozenLogs, projected } from './frozen-documents.js';
import { frozenPath, readFrozen } from './frozen-files.js';

const table = 'application/src/ports/read-model-collections.ts';
const write = 'Then build, and run: node test/dist/frozen/write.js';

/** What is to be done, where a log gives a collection other documents than those of its version. */
function problemWith(
  log: string,
  collection: { readonly name: string; readonly version: number },
  text: string,
): string | undefined {
  const [{ name, version }, file] = [collection, documentsFile(log, collection)];
  const frozen = readFrozen(file);
  if (frozen === undefined) return `${frozenPath(file)} is missing. ${write}`;
  if (frozen === text) return undefined;
  return `${name} has other documents than version ${version}: raise its number in ${table} to ${version + 1}. ${write}`;
}

for (const log of frozenLogs()) {
  tap.test(`the events of ${log} give the documents of each collection's version`, async (t) => {
    const documents = await projected(eventsOf(log));
    for (const collection of readModelCollections) {
      const text = documents.get(collection.name) ?? '';
      const problem = problemWith(log, collection, text);
      if (problem !== undefined) t.equal(text, readFrozen(documentsFile(log, collection)) ?? '', problem);
    }
    t.strictSame(
      [...documents.keys()],
      readModelCollections.map(({ name }) => name),
    );
  });
}

tap.test('every collection has a document in some log', async (t) => {
  for (const collection of readModelCollections)
    t.ok(
      frozenLogs().some((log) => (readFrozen(documentsFile(log, collection)) ?? '') !== ''),
      collection.name,
    );
});

tap.test('every version of every event stands in some log', async (t) => {
  const types = new Set(frozenLogs().flatMap((log) => eventsOf(log).map(({ type }) => type)));
  for (const [name, versions] of Object.entries(readSnapshot())) {
    if (name === 'event metadata') continue;
    for (const version of Object.keys(versions)) {
      const type = version === '1' ? name : `${name}.v${version}`;
      t.ok(types.has(type), `${type}: add test/frozen/log-<next number>.jsonl with it. ${write}`);
    }
  }
});

tap.test('what has another content than its number is named, and what to do', async (t) => {
  const [log = ''] = frozenLogs();
  const [collection] = readModelCollections;
  if (collection === undefined) throw new Error('there is no collection');
  const text = readFrozen(documentsFile(log, collection)) ?? '';
  t.equal(problemWith(log, collection, text), undefined);
  t.match(problemWith(log, collection, `${text}x`), /companies has other documents .* raise its number/);
  t.match(problemWith(log, { ...collection, version: 9_999 }, text), /companies-9999\.txt is missing/);
});
