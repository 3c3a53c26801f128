import { DigestTable, type Digester, accumulate, fromHex, toHex } from '../list/digests.js';
import type { EmployeeList } from '../list/list-builder.js';
import type { EmployeeSet, EntryDigests } from './set-state.js';
import { windowBytes, type ReaderModule, takeModule, giveBack } from '../list/reader-module.js';

/** What a sent list does to a set: interface.md, "Replace the employees of a company". */
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
  { left, renamed }: EmployeeSetChange,
  {
    list,
    digester,
    sum,
  }: { readonly list: EmployeeList; readonly digester: Digester; readonly sum: Uint32Array },
): Draft {
  const digests = new Uint32Array(Math.max(1, room) * 4);
  const draft: Draft = { ids: new DigestTable(room), digests, numbers: new Float64Array(room), sum };
  const share = ({ words, digests: values, at, number }: Member, sign: 1 | -1): void =>
    accumulate(sum, digester.memberDigest(words, values, at, number), sign);
  const old = (at: number): Member => memberAt(set.ids.words, set.digests, at, set.numbers[at] ?? 0);
  const put = putter(draft);
  const renames = renamedMembers(set, list, renamed);
  const isOther = new Uint8Array(set.count);
  for (const index of [...left, ...renames.keys()]) {
    isOther[index] = 1;
    share(old(index), -1);
  }
  for (const member of renames.values()) share(member, 1);
  for (let index = 0; index < set.count; index++) {
    const member = isOther[index] === 1 ? renames.get(index) : undefined;
    if (member) put(member.words, member.digests, member.at, member.number);
    else if (isOther[index] === 0) put(set.ids.words, set.digests, index, set.numbers[index] ?? 0);
  }
  return draft;
}

/** By index in the set: what these are afterwards. */
function renamedMembers(set: EmployeeSet, list: EmployeeList, renamed: Uint32Array): Map<number, Member> {
  const members = new Map<number, Member>();
  for (let i = 0; i < renamed.length; i += 2) {
    const index = renamed[i + 1] ?? 0;
    const number = set.numbers[index] ?? 0;
    members.set(index, memberAt(list.ids, list.digests, renamed[i] ?? 0, number));
  }
  return members;
}

interface Member {
  readonly words: Uint32Array;
  readonly digests: Uint32Array;
  readonly at: number;
  readonly number: number;
}

const memberAt = (words: Uint32Array, digests: Uint32Array, at: number, number: number): Member => ({
  words,
  digests,
  at,
  number,
});

const putter =
  (draft: Draft) =>
  (words: Uint32Array, digests: Uint32Array, at: number, number: number): void => {
    const next = draft.ids.insert(words, at * 4);
    draft.digests.set(digests.subarray(at * 4, at * 4 + 4), next * 4);
    draft.numbers[next] = number;
  };

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
    change.left.length + change.renamed.length === 0
      ? copyAll(set, count, sum)
      : copyPresent(set, count, change, { list, digester, sum });
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

/** Consecutive rows of new or changed employees. Valid during the call that hands them out. */
export interface EntryRows {
  readonly numbers: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
  /** Rows as `putRow` of `employee-lists/reader/entries.ts` writes them. */
  readonly text: Uint8Array;
  /** Due times of the invitations, ISO 8601. */
  readonly dues: readonly (string | undefined)[];
}

/** Tried first: it holds one entry, and little is copied in vain if none is settled. */
const firstWindowBytes = 16 * 1024;
const comma = 0x2c;

/** Makes rows of the settled entries of an `EmployeeSetReplaced` from `start` on. The end of the last, or `start`. */
export function readEntryRows(
  { bytes, start }: { readonly bytes: Uint8Array; readonly start: number },
  kind: 'added' | 'changed',
  take: (rows: EntryRows, digests: EntryDigests) => void,
): number {
  const module = takeModule();
  try {
    let end = start;
    for (let next = start, size = firstWindowBytes; ; next = end + 1, size = windowBytes) {
      const part = bytes.subarray(next, next + size);
      module.bytes.set(part, module.calls.window.value);
      const taken = module.calls.putRows(part.length, Number(kind === 'added'));
      if (taken === 0) return end;
      take(rowsIn(module), digestsIn(module));
      end = next + taken;
      if (bytes[end] !== comma) return end;
    }
  } finally {
    giveBack(module);
  }
}

function rowsIn(module: ReaderModule): EntryRows {
  const { bytes, calls } = module;
  const count = calls.rowCount.value;
  const { buffer } = bytes;
  const numbers = new Float64Array(buffer, calls.rowNumbers.value, count);
  const ends = new Uint32Array(buffer, calls.rowEnds.value, count);
  return {
    numbers,
    ends,
    text: bytes.subarray(calls.output.value, calls.output.value + calls.outputLength()),
    dues: duesIn(bytes, new Uint32Array(buffer, calls.rowDues.value, count)),
  };
}

function digestsIn({ bytes, calls }: ReaderModule): EntryDigests {
  const { buffer } = bytes;
  const count = calls.rowCount.value;
  return {
    numbers: new Float64Array(buffer, calls.rowNumbers.value, count),
    idDigests: new Uint32Array(buffer, calls.rowIdDigests.value, 4 * count),
    digests: new Uint32Array(buffer, calls.rowDigests.value, 4 * count),
  };
}

/** Nearly all entries of a list share a due time, so equal ones share a string. */
function duesIn(bytes: Buffer, places: Uint32Array): (string | undefined)[] {
  const dues: (string | undefined)[] = [];
  let place = 0;
  let due: string | undefined;
  for (const each of places) {
    if (each !== place)
      due = each === 0 ? undefined : bytes.toString('latin1', each, bytes.indexOf(0x22, each));
    place = each;
    dues.push(due);
  }
  return dues;
}
