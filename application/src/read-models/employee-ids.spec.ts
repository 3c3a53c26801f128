import t from 'tap';
import { GivenIds, numbersOfId } from './employee-changes.js';

t.test('numbers by the first bits of a digest, of few ids and of many', async (t) => {
  const documents = new Map<string, Uint8Array>();
  const put = (revision: number, words: readonly number[]): void => {
    const ids = new GivenIds();
    for (const [at, word] of words.entries()) ids.add([0, word], 1, 1_000_000 * revision + at);
    for (const { key, behind } of ids.documents(7, revision))
      documents.set(key.join(), behind(documents.get(key.join())));
  };
  const find = (word: number) =>
    numbersOfId(
      {
        findBatches: async function* () {
          yield await Promise.resolve(
            [...documents.values()].map((value) => ({ key: [7], revision: 1, value })),
          );
        },
      },
      7,
      word,
    );
  put(1, []);
  t.equal(documents.size, 0);
  put(1, [41, 42]);
  put(2, [42]);
  t.strictSame([...documents.keys()], ['7,0,0'], 'they share a document');
  put(
    3,
    Array.from({ length: 200_001 }, (_, at) => at + 50),
  );
  t.equal(documents.size, 3, 'in parts');
  t.strictSame(await find(42), [1_000_001, 2_000_000]);
  t.strictSame(await find(200_050), [3_200_000]);
  t.strictSame(await find(1_000_001), [], 'which is a number');
});
