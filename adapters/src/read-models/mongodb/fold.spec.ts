import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { DocumentWrite } from '@rollcall/application';
import { fold, needsStored, type Step, type Stored } from './fold.js';
import { versionsOf } from './versions.js';

const scale = Number(process.env['TEST_SCALE'] ?? '0.1');

type Change = Omit<Extract<DocumentWrite, { op: 'put' }>, 'collection' | 'key' | 'json' | 'op'>;

const put = (document: object, more: Change = {}): DocumentWrite => ({
  op: 'put',
  collection: 'things',
  key: [1],
  json: Buffer.from(JSON.stringify(document)),
  ...more,
});
const remove: DocumentWrite = { op: 'remove', collection: 'things', key: [1] };
const indexedBy = { collection: 'order', prefix: [7], member: 'id' };

/** Steps as if each came from an event of its own. */
const stepsOf = (writes: readonly DocumentWrite[]): Step[] => {
  const placed = writes.map((write, at) => ({ ...write, origin: { position: BigInt(at + 1), part: 1 } }));
  const versions = versionsOf(placed, { position: undefined, parts: 0 });
  return placed.map((write, at) => ({ write, version: versions[at] ?? '' }));
};

const shown = (stored: Stored | undefined): unknown =>
  stored?.json === undefined ? undefined : JSON.parse(Buffer.from(stored.json).toString());

t.test('what comes from no later place than what is stored is left out', async (t) => {
  const steps = stepsOf([put({ n: 1 }), put({ n: 2 }), remove]);
  const second = fold(steps.slice(0, 2), undefined).after;
  t.strictSame(shown(second), { n: 2 });
  t.equal(fold(steps.slice(0, 1), second).after, undefined);
  t.equal(fold(steps.slice(0, 2), second).after, undefined);
  const removed = fold(steps, second).after;
  t.strictSame(removed, { version: steps[2]?.version, amended: steps[2]?.version, json: undefined });
  t.equal(fold(steps, removed).after, undefined, 'a removed document does not come back');
});

t.test('what a mended stream brings late replaces what another stream amended since', async (t) => {
  const open = { ifStored: { member: 'end', in: [null] }, keep: ['user'] };
  const [queued, ended, progressed] = stepsOf([
    put({ end: null, user: 'u' }),
    put({ end: 'now' }, { keep: ['user'] }),
    put({ end: null, percent: 9 }, open),
  ]);
  if (!queued || !ended || !progressed) throw new Error('three steps');
  const amended = fold([queued, progressed], undefined).after;
  t.strictSame(shown(amended), { end: null, percent: 9, user: 'u' });
  const late = fold([ended], amended).after;
  t.strictSame(shown(late), { end: 'now', user: 'u' });
  t.equal(fold([progressed], late).after, undefined, 'and is not amended again');
});

t.test('the entries of removed documents are told by what was stored before', async (t) => {
  const steps = stepsOf([put({ id: 'a' }), { ...remove, indexedBy }, put({ id: 'b' })]);
  const before = fold(steps.slice(0, 1), undefined).after;
  const { after, removedEntries } = fold(steps, before);
  t.strictSame(shown(after), { id: 'b' });
  t.strictSame(removedEntries, [{ collection: 'order', key: [7, 'a'], version: steps[1]?.version }]);
  t.strictSame(fold(steps, after).removedEntries, [], 'once they are gone');
});

const member = fc.constantFrom('x', 'y', null);
const document = fc.record({ a: member, b: member, id: fc.constantFrom('i', 'j') });
const write: fc.Arbitrary<DocumentWrite> = fc.oneof(
  { weight: 3, arbitrary: document.map((one) => put(one)) },
  { weight: 2, arbitrary: document.map((one) => put(one, { keep: ['b'] })) },
  {
    weight: 3,
    arbitrary: fc.tuple(document, fc.subarray(['x', null])).map(([one, values]) => {
      return put(one, { keep: ['b'], ifStored: { member: 'a', in: values } });
    }),
  },
  { weight: 1, arbitrary: fc.constant(remove) },
  { weight: 1, arbitrary: fc.constant({ ...remove, indexedBy }) },
);

/**
 * Some writers, each with a batch that begins at most where everything is applied by then. One looks at what is stored,
 * and writes at any later moment, unless the document has changed meanwhile: then it looks again.
 */
const batch = fc.record({ back: fc.nat(6), length: fc.integer({ min: 1, max: 6 }), pause: fc.nat(3) });

t.test('batches of any writers, repeated, late and at once, come to what the log comes to', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.comment(`seed ${seed}`);
  const property = fc.property(
    fc.array(write, { minLength: 1, maxLength: 12 }),
    fc.array(batch, { maxLength: 12 }),
    (writes, batches) => {
      const steps = stepsOf(writes);
      const store = new Store();
      let applied = 0;
      for (const { back, length, pause } of batches) {
        const from = Math.max(0, applied - back);
        const to = Math.min(steps.length, from + length);
        const isApplied = store.write(steps.slice(from, to), pause);
        if (isApplied) applied = Math.max(applied, to);
      }
      store.settle();
      store.write(steps.slice(applied), 0);
      let expected: Stored | undefined;
      for (const step of steps) expected = fold([step], expected).after ?? expected;
      assert.deepEqual(shown(store.stored), shown(expected));
    },
  );
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: Math.max(2_000, Math.ceil(50_000 * scale)) }));
});

/** One document, written as `writeChanges` does it. */
class Store {
  stored: Stored | undefined;
  readonly #paused: { left: number; go: () => void }[] = [];

  /** True where it is written at once; a paused writer goes on after so many others. */
  write(steps: readonly Step[], pause: number): boolean {
    for (const one of this.#paused) one.left -= 1;
    const before = this.stored;
    const { after } = needsStored(steps) ? fold(steps, before) : fold(steps, undefined);
    const go = (): void => {
      if (!needsStored(steps)) {
        if (after !== undefined && after.version > (this.stored?.version ?? '')) this.stored = after;
      } else if (this.stored !== before) this.write(steps, 0);
      else if (after !== undefined) this.stored = after;
    };
    if (pause === 0) go();
    else this.#paused.push({ left: pause, go });
    for (const one of this.#paused.splice(0)) {
      if (one.left <= 0) one.go();
      else this.#paused.push(one);
    }
    return pause === 0;
  }

  settle(): void {
    for (const one of this.#paused.splice(0)) one.go();
  }
}
