import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { MerkleTree, rootOfPath } from './merkle.js';

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** As RFC 9162 defines it. */
function defined(entries: readonly Uint8Array[]): Buffer {
  const [first, ...more] = entries;
  if (first === undefined) return sha256();
  if (more.length === 0) return sha256(Buffer.of(0), first);
  const half = 2 ** Math.ceil(Math.log2(entries.length) - 1);
  return sha256(Buffer.of(1), defined(entries.slice(0, half)), defined(entries.slice(half)));
}

function treeOf(entries: readonly Uint8Array[], target?: number) {
  const tree = new MerkleTree();
  entries.forEach((entry, index) => tree.add(entry, index === target));
  return tree.end();
}

const someEntries = fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 40 });

t.test('property: the root is that of the definition', async (t) => {
  fc.assert(fc.property(someEntries, (entries) => treeOf(entries).root.equals(defined(entries))));
  t.equal(
    treeOf([]).root.toString('hex'),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

interface Case {
  readonly entries: readonly Uint8Array[];
  readonly target: number;
  readonly level: number;
}

const cases: fc.Arbitrary<Case> = fc
  .tuple(fc.array(fc.uint8Array({ maxLength: 3 }), { minLength: 1, maxLength: 40 }), fc.nat(), fc.nat())
  .map(([entries, target, level]) => ({ entries, target: target % entries.length, level }));

t.test('property: a path leads from its entry to the root', async () => {
  const leads = ({ entries, target }: Case): boolean => {
    const { root, index, path } = treeOf(entries, target);
    const found = rootOfPath(entries[target] ?? Buffer.of(), target, entries.length, path);
    return index === target && found?.equals(root) === true;
  };
  fc.assert(fc.property(cases, leads));
});

t.test('property: nothing else leads to the root', async () => {
  const misleads = ({ entries, target, level }: Case): boolean => {
    const { root, path } = treeOf(entries, target);
    const entry = entries[target] ?? Buffer.of();
    const bent = path.map((hash) => Buffer.from(hash));
    bent[level % Math.max(1, bent.length)]?.write('bent');
    const { length } = entries;
    const wrong: Parameters<typeof rootOfPath>[] = [
      [Buffer.concat([entry, Buffer.of(1)]), target, length, path],
      [entry, length, length, path],
      [entry, target, length, [...path, root]],
    ];
    if (path.length > 0) wrong.push([entry, target, length, path.slice(1)], [entry, target, length, bent]);
    return wrong.every((given) => rootOfPath(...given)?.equals(root) !== true);
  };
  fc.assert(fc.property(cases, misleads));
});
