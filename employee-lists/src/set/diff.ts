import type { EmployeeList } from '../list/list-builder.js';
import type { EmployeeSet } from './set-state.js';

/** What a sent list does to a set: interface.md, "Replace the employees of a company", set semantics. */
export interface EmployeeSetChange {
  /** New elements, in the order sent. */
  readonly added: Uint32Array;
  /** Pairs: index in the list, index in the set. */
  readonly changed: Uint32Array;
  /** Indexes in the set. */
  readonly left: Uint32Array;
  /** Pairs as in `changed`, of those who keep their number under another EmployeeID. */
  readonly renamed: Uint32Array;
}

/** The same, with these pairs of one who comes and one who leaves as one person. */
export function withRenames(change: EmployeeSetChange, renamed: Uint32Array): EmployeeSetChange {
  if (renamed.length === 0) return change;
  const [elements, indexes] = [new Set<number>(), new Set<number>()];
  renamed.forEach((each, at) => (at % 2 === 0 ? elements : indexes).add(each));
  return {
    ...change,
    added: change.added.filter((element) => !elements.has(element)),
    left: change.left.filter((index) => !indexes.has(index)),
    renamed,
  };
}

export function diffEmployees(list: EmployeeList, set: EmployeeSet): EmployeeSetChange {
  const added = new Uint32Array(list.count);
  const changed = new Uint32Array(list.count * 2);
  const seen = new Uint8Array(set.count);
  let addedCount = 0;
  let changedCount = 0;
  for (let element = 0; element < list.count; element++) {
    const index = set.ids.find(list.ids, element * 4);
    if (index < 0) {
      added[addedCount++] = element;
      continue;
    }
    seen[index] = 1;
    if (sameDigest(list.digests, element * 4, set.digests, index * 4)) continue;
    changed[changedCount++] = element;
    changed[changedCount++] = index;
  }
  return {
    added: added.slice(0, addedCount),
    changed: changed.slice(0, changedCount),
    left: unseen(seen, set.count - (list.count - addedCount)),
    renamed: new Uint32Array(0),
  };
}

function sameDigest(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2] && a[i + 3] === b[j + 3];
}

function unseen(seen: Uint8Array, count: number): Uint32Array {
  const left = new Uint32Array(count);
  let next = 0;
  for (let index = 0; next < count; index++) if (seen[index] === 0) left[next++] = index;
  return left;
}
