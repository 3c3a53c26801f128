import type { EmployeeSetChange } from './diff.js';
import { DigestTable } from '../list/digest-table.js';
import { type Digester, accumulate, fromHex, toHex } from '../list/digests.js';
import type { EmployeeList } from '../list/list-builder.js';
import type { EmployeeSet } from './set-state.js';

interface Draft {
  readonly ids: DigestTable;
  readonly digests: Uint32Array;
  readonly numbers: Float64Array;
  readonly sum: Uint32Array;
}

/** Copies the set. Without new employees, ids and numbers are shared with it. */
function copyAll(set: EmployeeSet, room: number, sum: Uint32Array): Draft {
  const digests = new Uint32Array(Math.max(1, room) * 4);
  digests.set(set.digests.subarray(0, set.count * 4));
  if (room === set.count) return { ids: set.ids, digests, numbers: set.numbers, sum };
  const numbers = new Float64Array(room);
  numbers.set(set.numbers.subarray(0, set.count));
  return { ids: set.ids.copy(room), digests, numbers, sum };
}

function copyPresent(
  set: EmployeeSet,
  room: number,
  { left }: EmployeeSetChange,
  { digester, sum }: { readonly digester: Digester; readonly sum: Uint32Array },
): Draft {
  const digests = new Uint32Array(Math.max(1, room) * 4);
  const draft: Draft = { ids: new DigestTable(room), digests, numbers: new Float64Array(room), sum };
  const gone = new Uint8Array(set.count);
  for (const index of left) {
    gone[index] = 1;
    accumulate(
      draft.sum,
      digester.memberDigest(set.ids.words, set.digests, index, set.numbers[index] ?? 0),
      -1,
    );
  }
  for (let index = 0; index < set.count; index++) {
    if (gone[index] === 1) continue;
    const next = draft.ids.insert(set.ids.words, index * 4);
    draft.digests.set(set.digests.subarray(index * 4, index * 4 + 4), next * 4);
    draft.numbers[next] = set.numbers[index] ?? 0;
  }
  return draft;
}

function applyChanged(draft: Draft, list: EmployeeList, change: EmployeeSetChange, digester: Digester): void {
  for (let i = 0; i < change.changed.length; i += 2) {
    const element = change.changed[i] ?? 0;
    const index = draft.ids.find(list.ids, element * 4);
    const number = draft.numbers[index] ?? 0;
    accumulate(draft.sum, digester.memberDigest(draft.ids.words, draft.digests, index, number), -1);
    for (let word = 0; word < 4; word++)
      draft.digests[index * 4 + word] = list.digests[element * 4 + word] ?? 0;
    accumulate(draft.sum, digester.memberDigest(draft.ids.words, draft.digests, index, number), 1);
  }
}

// eslint-disable-next-line max-params -- a draft and the three sources of what is added to it
function addNew(
  draft: Draft,
  list: EmployeeList,
  added: Uint32Array,
  digester: Digester,
  lastNumber: number,
): void {
  for (let i = 0; i < added.length; i++) {
    const element = added[i] ?? 0;
    const index = draft.ids.insert(list.ids, element * 4);
    for (let word = 0; word < 4; word++)
      draft.digests[index * 4 + word] = list.digests[element * 4 + word] ?? 0;
    draft.numbers[index] = lastNumber + 1 + i;
    accumulate(
      draft.sum,
      digester.memberDigest(draft.ids.words, draft.digests, index, lastNumber + 1 + i),
      1,
    );
  }
}

/** The set after a change, without the event. A property test compares it with `EmployeeSetBuilder`. */
export function changedSet(
  set: EmployeeSet,
  list: EmployeeList,
  change: EmployeeSetChange,
  digester: Digester,
): EmployeeSet {
  const count = set.count - change.left.length + change.added.length;
  const sum = new Uint32Array(4);
  fromHex(set.setDigest, sum, 0);
  const draft =
    change.left.length === 0 ? copyAll(set, count, sum) : copyPresent(set, count, change, { digester, sum });
  applyChanged(draft, list, change, digester);
  addNew(draft, list, change.added, digester, set.lastNumber);
  return {
    count,
    lastNumber: set.lastNumber + change.added.length,
    setDigest: toHex(draft.sum, 0),
    ids: draft.ids,
    digests: draft.digests,
    numbers: draft.numbers,
  };
}
