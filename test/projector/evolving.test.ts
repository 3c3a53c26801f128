import {
  blocksCollection,
  employeeSetsCollection,
  revisionsOf,
  setOfDocument,
  plansCollection,
  plannedBehind,
  type PlansDocument,
  ReadModelsUnavailable,
} from '@rollcall/application';
import { projections, rebuildInto } from '@rollcall/projector';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig, type Rig } from '../support/rig.js';
import { shown } from '../support/shown.js';
import { scale, seed } from '../support/scale.js';
import { positions } from './run-twice.support.js';
import { orderedRows } from '../support/ordered-rows.js';
import { appended, type Company, history, longHistory, type Step } from './evolving.support.js';

/** What readers are shown of a company is what its employees came to. */
async function check(
  t: Test,
  store: ModelReadModels,
  companyId: number,
  { people, planned }: Company,
): Promise<void> {
  const shown: unknown[] = [];
  for await (const batch of orderedRows(store, { companyId }))
    for (const { number, row, date } of batch) {
      const { Id, EmployeeID, Firstname } = JSON.parse(Buffer.from(row).toString()) as Record<
        string,
        unknown
      >;
      shown.push([number, Id, EmployeeID, Firstname, date]);
    }
  const expected = [...people]
    .map(([number, { id, name, due: date }]) => [number, number, id, name, date] as const)
    .sort(([one], [other]) => one - other);
  t.strictSame(shown, expected);
  const plans: unknown[] = [];
  for await (const { value } of store.find(plansCollection, { prefix: [companyId] }))
    for (const { number, due: at } of plannedBehind(
      JSON.parse(Buffer.from(value).toString()) as PlansDocument,
    ))
      plans.push([number, at]);
  t.strictSame(plans.sort(), [...planned].map(([number, at]) => [number, Date.parse(at)]).sort());
  t.strictSame(
    await partsIn(store, companyId),
    partsNamed(await store.get(employeeSetsCollection, [companyId])),
  );
}

/** The keys of all blocks of a company. */
async function partsIn(store: ModelReadModels, companyId: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.find(blocksCollection, { prefix: [companyId] }))
    found.push(key.slice(1).join());
  return found.sort();
}

/** What the set consists of, and what older ones do that can still be read. */
function partsNamed(value: Uint8Array | undefined): string[] {
  const { blocks = [], replaced = [] } = setOfDocument(value) ?? {};
  const allBlocks = [
    ...blocks.entries(),
    ...replaced.flatMap((parts) => [...parts.blocks, ...parts.changes]),
  ].flatMap(([block, place]) => revisionsOf(place).map((own) => `${block},${own}`));
  return [...new Set(allBlocks)].sort();
}

/** Projects everything, as often as it is interrupted. */
async function project(on: Rig, store: ModelReadModels, largeBytes?: number): Promise<void> {
  const end = await on.log.lastPosition();
  for (;;) {
    try {
      return await rebuildInto(store, { ...on, projections, largeBytes }, end);
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
    }
  }
}

/** One event after the other: nothing is folded in memory. */
async function foldedOneByOne(on: Rig): Promise<ModelReadModels> {
  const store = new ModelReadModels();
  for (const position of await positions(on)) await rebuildInto(store, { ...on, projections }, position);
  return store;
}

function nextOf(drawn: fc.Stream<number>): number {
  const next = drawn.next() as IteratorResult<number, undefined>;
  return next.value ?? 0;
}

async function property(t: Test, steps: readonly Step[], pauses: fc.Stream<number>): Promise<void> {
  const on = await openRig(t);
  const companies = await appended(on, steps);
  const plain = await foldedOneByOne(on);
  t.strictSame(await plain.parkedStreams(), []);
  for (const [at, company] of companies.entries()) await check(t, plain, at + 1, company);
  const gathered = new ModelReadModels();
  await project(on, gathered);
  t.strictSame(await shown(gathered), await shown(plain), 'gathered');
  const beside = new ModelReadModels();
  await project(on, beside, 0);
  t.strictSame(await shown(beside), await shown(plain), 'each by itself');
  for (const largeBytes of [undefined, 1_000]) {
    const interrupted = new ModelReadModels();
    let [left, attempts] = [1, 0];
    interrupted.beforeWrite = async () => {
      left -= 1;
      if (left > 0) return Promise.resolve();
      left = 2 * (attempts += 1) + nextOf(pauses);
      return Promise.reject(new ReadModelsUnavailable('killed'));
    };
    await project(on, interrupted, largeBytes);
    t.strictSame(await shown(interrupted), await shown(plain), 'interrupted');
  }
}

for (const [what, histories, runs] of [
  ['', history, 60],
  [', of many small changes', longHistory, 10],
] as const)
  t.test(`whatever interrupts it and however events are gathered, the end is the same${what}`, (t) =>
    fc.assert(
      fc.asyncProperty(histories, fc.infiniteStream(fc.nat(40)), (steps, pauses) =>
        property(t, steps, pauses),
      ),
      { numRuns: Math.ceil(runs * scale), seed },
    ),
  );
