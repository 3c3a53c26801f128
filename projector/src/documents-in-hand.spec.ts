import assert from 'node:assert/strict';
import type { DocumentWrite } from '@rollcall/application/read';
import tap from 'tap';
import { DocumentsInHand } from './documents-in-hand.js';

const mostBytes = 100;

/** A store that shows a write once it is let through. */
function slowStore() {
  const stored = new Map<string, DocumentWrite>();
  const writes: (readonly (readonly DocumentWrite[])[])[] = [];
  let letThrough: () => void = () => undefined;
  const store: ConstructorParameters<typeof DocumentsInHand>[0] = {
    newest: (_collection, keys) =>
      Promise.resolve(
        keys.map((key) => {
          const write = stored.get(key.join());
          return write && { revision: write.revision, value: 'value' in write ? write.value : undefined };
        }),
      ),
    write: async (stages) => {
      writes.push(stages);
      await new Promise<void>((resolve) => (letThrough = resolve));
      for (const write of stages.flat()) stored.set(write.key.join(), write);
    },
  };
  return { store, writes, letThrough: () => letThrough() };
}

const put = (documents: DocumentsInHand, number: number, revision: number): void =>
  documents.set({
    collection: 'employee-blocks',
    key: [7, number],
    revision,
    next: { value: new Uint8Array(40) },
  });

tap.test('a batch holds no more than it may, and reads what it has written early', async (t) => {
  const { store, writes, letThrough } = slowStore();
  const documents = new DocumentsInHand(store, mostBytes);
  for (const number of [1, 2]) {
    put(documents, number, 5);
    await documents.makeRoom();
  }
  put(documents, 2, 6);
  await documents.makeRoom();
  t.equal(writes.length, 0, 'a document that changes once more does not weigh twice');
  put(documents, 3, 6);
  await documents.makeRoom();
  t.strictSame(
    writes[0]?.flat().map(({ key, revision }) => [key[1], revision]),
    [
      [1, 5],
      [2, 6],
      [3, 6],
    ],
  );
  put(documents, 4, 7);
  const reading = documents.read('employee-blocks', [
    [7, 4],
    [7, 2],
    [7, 9],
  ]);
  letThrough();
  t.strictSame(
    (await reading).map(({ revision }) => revision),
    [7, 6, -1],
    'in hand, written meanwhile, nowhere',
  );
  const finished = documents.finish();
  await new Promise((resolve) => setImmediate(resolve));
  letThrough();
  await finished;
  assert.equal(writes[1]?.flat().length, 1);
});
