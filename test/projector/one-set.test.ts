import assert from 'node:assert/strict';
import {
  type DocumentWrite,
  type EmployeeSet,
  EmployeeSetReplaced,
  type OrderedRows,
  readEmployeeSet,
  readOrderedRows,
  type ReadModelReader,
  type ReadModelWriter,
} from '@rollcall/application';
import { projections, rebuildInto } from '@rollcall/projector';
import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig, type Rig } from '../support/rig.js';
import { withMembers } from '../support/with-members.js';
import { append, configured, employeeSet } from './projector.support.js';

type Store = ReadModelReader & ReadModelWriter;

const half = 450;
const group = (from: number, of: string) =>
  Array.from({ length: half }, (_, at) => ({ number: from + at, id: `${of}${1_000 + at}` }));

/** Half of 900 people are exchanged by each event: those of one letter leave, those of another come. */
async function exchanges(on: Rig, count: number): Promise<string[]> {
  const call = { companyId: 1 };
  await append(on, 'company-1', configured(1, 'one'), call);
  const added = [...group(1, 'A'), ...group(1 + half, 'B')];
  await append(on, 'company-1', employeeSet({ added, total: 900, lastNumber: 900 }), call);
  const lists = ['A B'];
  for (let n = 0; n < count; n += 1) {
    const [from, came] = [1 + (n + 2) * half, n % 2 ? 'B' : 'C'];
    const left = group(from - half, '').map(({ number }) => number);
    const change = { added: group(from, came), left, total: 900, lastNumber: from + half - 1 };
    await append(on, 'company-1', employeeSet(change), call);
    lists.push(`A ${came}`);
  }
  return lists;
}

/** The letters in the answer, `half` of each; or how many they are. */
const listOf = (ids: readonly string[]): string => {
  const letters = [...new Set(ids.map((id) => id.slice(0, 1)))].sort();
  const isWhole = letters.every((one) => ids.filter((id) => id.startsWith(one)).length === half);
  return isWhole ? letters.join(' ') : `${ids.length} people`;
};

async function whole(store: Store, pause: () => Promise<void>): Promise<string> {
  const set = await readEmployeeSet(store, 1);
  const ids: string[] = [];
  if (set === undefined) return '';
  await pause();
  await read(store, set, ids);
  return listOf(ids);
}

/** Adds EmployeeIDs of the rows behind a number; the last number. */
async function read(
  store: Store,
  set: EmployeeSet | undefined,
  ids: string[],
  { after, limit }: OrderedRows = {},
): Promise<number | undefined> {
  let last = after;
  if (set === undefined) return last;
  for await (const { length, numberAt, rowAt } of readOrderedRows(store, set, { after, limit }))
    for (let at = 0; at < length; at += 1) {
      ids.push((JSON.parse(Buffer.from(rowAt(at)).toString()) as { EmployeeID: string }).EmployeeID);
      last = numberAt(at);
    }
  return last;
}

async function paged(store: Store, pause: () => Promise<void>): Promise<string> {
  const ids: string[] = [];
  const first = await readEmployeeSet(store, 1);
  let after: number | undefined;
  for (let more = first !== undefined; more;) {
    const set = await readEmployeeSet(store, 1, { revision: first?.revision, now: 0 });
    const before = ids.length;
    after = await read(store, set, ids, { after, limit: 200 });
    more = ids.length > before;
    await pause();
  }
  return listOf(ids);
}

/** In front of each write of a document: `each`. */
function stepping(store: Store, each: () => Promise<void>): Store {
  const write = async (stages: readonly (readonly DocumentWrite[])[]): Promise<void> => {
    for (const one of stages.flat()) {
      await each();
      await store.write([[one]]);
    }
  };
  return withMembers<Store>(store, {
    write,
    advance: async (expected, next, { documents = [], ...changes } = {}) => {
      await write(documents);
      return store.advance(expected, next, changes);
    },
  });
}

for (const [what, open] of [
  ['in memory', (): Store => new ModelReadModels()],
  ['embedded', ({ readModels }: Rig): Store => readModels],
] as const)
  for (const [size, largeBytes] of [
    ['small', undefined],
    ['large', 0],
  ] as const)
    t.test(`whoever reads beside ${size} events sees one of the sets that were: ${what}`, async (t) => {
      const on = await openRig(t);
      const known = ['', ...(await exchanges(on, 6))];
      const store = open(on);
      let [reads, refused] = [0, 0];
      const running: Promise<void>[] = [];
      const ticks: (() => void)[] = [];
      // Every reader goes on by one step in front of each write.
      const pause = (): Promise<void> => new Promise((resolve) => ticks.push(resolve));
      const look = async (by: typeof whole): Promise<void> => {
        try {
          assert.ok(known.includes(await by(store, pause)));
          reads += 1;
        } catch (error) {
          if (!(error instanceof EmployeeSetReplaced)) throw error;
          refused += 1;
        }
      };
      const readModels = stepping(store, async () => {
        for (const tick of ticks.splice(0)) tick();
        running.push(look(whole), look(paged));
        await new Promise(setImmediate);
      });
      const position = await on.log.lastPosition();
      await rebuildInto(readModels, { ...on, projections, largeBytes }, position);
      const timer = setInterval(() => ticks.splice(0).forEach((tick) => tick()), 1);
      await Promise.all(running);
      clearInterval(timer);
      t.ok(reads > 50, `${reads} reads, ${refused} refused`);
      t.equal(await whole(store, () => Promise.resolve()), known.at(-1));
    });
