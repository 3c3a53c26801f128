import { hash } from 'node:crypto';

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');
const node = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

interface Subtree {
  readonly hash: Buffer;
  readonly size: number;
  readonly hasTarget: boolean;
}

/** The Merkle tree hash of RFC 9162, 2.1.1, leaf by leaf; holds one hash for each level. */
export class MerkleTree {
  readonly #subtrees: Subtree[] = [];
  readonly #path: Buffer[] = [];
  #index: number | undefined;
  size = 0;

  /** `isTarget`: the leaf whose inclusion `end` proves. */
  add(entry: Uint8Array, isTarget = false): void {
    if (isTarget) this.#index = this.size;
    this.size += 1;
    let last: Subtree = { hash: sha256(LEAF, entry), size: 1, hasTarget: isTarget };
    while (this.#subtrees.at(-1)?.size === last.size) last = this.#joined(last);
    this.#subtrees.push(last);
  }

  /** The root, and the target's index and inclusion path (2.1.3). Ends the tree. */
  end(): { readonly root: Buffer; readonly index: number | undefined; readonly path: readonly Buffer[] } {
    let last = this.#subtrees.pop() ?? { hash: sha256(), size: 0, hasTarget: false };
    while (this.#subtrees.length > 0) last = this.#joined(last);
    return { root: last.hash, index: this.#index, path: this.#path };
  }

  #joined(right: Subtree): Subtree {
    const left = this.#subtrees.pop() ?? right;
    if (left.hasTarget) this.#path.push(right.hash);
    if (right.hasTarget) this.#path.push(left.hash);
    const hasTarget = left.hasTarget || right.hasTarget;
    return { hash: node(left.hash, right.hash), size: left.size + right.size, hasTarget };
  }
}

/** RFC 9162, 2.1.3.2: the root to which the entry at this index leads; undefined where the path does not fit. */
export function rootOfPath(
  entry: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Buffer | undefined {
  let [at, last, found] = [index, size - 1, sha256(LEAF, entry)];
  if (at > last) return undefined;
  for (const sibling of path) {
    if (last === 0) return undefined;
    // At the right edge a subtree without a sibling moves up as it is.
    while (at === last && at % 2 === 0) [at, last] = [at / 2, last / 2];
    found = at % 2 === 1 ? node(sibling, found) : node(found, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? found : undefined;
}
