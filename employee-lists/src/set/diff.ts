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
