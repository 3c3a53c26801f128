import {
  decodeDirectory,
  orderCollection,
  orderRunsCollection,
  plansCollection,
  plannedBehind,
  type PlansDocument,
  ReadModelsUnavailable,
} from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import { projections, rebuildInto } from '@rollcall/projector';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig, type Rig } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import { positions } from './run-twice.support.js';
import { append, configured, employeeSet, refused, survey, type SetChange } from './projector.support.js';
import { orderedRows } from '../support/ordered-rows.js';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly due: string | undefined;
}

const due = (day: number): string => `2026-12-0${day + 1}T07:00:00Z`;

interface Applied {
  readonly added: readonly { number: number; id: string; due?: string }[];
  readonly changed: readonly number[];
  readonly left: readonly number[];
}

/** What a company's employees come to, and the events by which they did. */
class Company {
  readonly people = new Map<number, Person>();
  readonly planned = new Map<number, string>();
  readonly events: DomainEvent[] = [];
  #last = 0;

  change(step: Step): void {
    const numbers = [...this.people.keys()];
    const some = (picked: readonly number[]) => [
      ...new Set(picked.flatMap((at) => (numbers.length > 0 ? [numbers[at % numbers.length] ?? 0] : []))),
    ];
    const left = some(step.leave);
    const changed = some(step.rename).filter((number) => !left.includes(number));
    const added = Array.from({ length: step.come }, () => {
      const number = (this.#last += 1);
      // Whoever leaves may come again under the same EmployeeID.
      const again = this.people.get(left[number % Math.max(1, left.length)] ?? 0)?.id;
      const id = again !== undefined && !this.#has(again, left) ? again : `E${(number * 7919) % 10_007}`;
      return { number, id, ...(step.day !== undefined && { due: due(step.day) }) };
    });
    const ids = new Set<string>();
    const unique = added.filter(({ id }) => !ids.has(id) && ids.add(id));
    this.#apply({ added: unique, changed, left });
  }

  #has(id: string, left: readonly number[]): boolean {
    return [...this.people].some(([number, one]) => one.id === id && !left.includes(number));
  }

  #apply({ added, changed, left }: Applied): void {
    for (const number of left) this.people.delete(number);
    const renamed = changed.map((number) => {
      const one = this.people.get(number);
      const next = { id: one?.id ?? '', name: `${one?.name}x`, due: one?.due };
      this.people.set(number, next);
      return { number, ...next };
    });
    for (const { number, id, due: dueAt } of added) {
      this.people.set(number, { id, name: 'Ann', due: dueAt });
      if (dueAt !== undefined) this.planned.set(number, dueAt);
    }
    const change: SetChange = {
      added,
      changed: renamed,
      left,
      total: this.people.size,
      lastNumber: this.#last,
    };
    this.events.push(employeeSet(change));
  }
}

const numbers = fc.array(fc.nat(10_000), { maxLength: 6 });
const step = fc.record({
  come: fc.oneof(fc.nat(5), fc.nat(5), fc.constantFrom(300, 1_500)),
  rename: numbers,
  leave: numbers,
  day: fc.option(fc.nat(3), { nil: undefined }),
});
const history = fc.array(step, { minLength: 1, maxLength: 5 });
/** So many that slots of the order are used again and again. */
const small = fc.record({ come: fc.nat(2), rename: numbers, leave: numbers, day: fc.constant(undefined) });
const longHistory = fc.array(small, { minLength: 60, maxLength: 90 });

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function appended(on: Rig, steps: readonly Step[]) {
  const companies = [new Company(), new Company()];
  await append(on, 'company-1', configured(1, 'one'), { companyId: 1 });
  for (const [at, one] of steps.entries()) {
    const company = companies[at % 2] ?? new Company();
    company.change(one);
    const companyId = (at % 2) + 1;
    const events = company.events.slice(-1);
    if (events.length > 0) await append(on, `company-${companyId}`, events, { companyId });
    await append(on, `survey-${at % 3}`, survey(1 + (at % 3), `${at}`, 1), { companyId: 1 });
    await append(on, `operation-${at}`, refused(), { companyId: 1 });
  }
  return companies;
}

/** What readers are shown of a company is what its employees came to. */
async function check(
  t: Test,
  store: ModelReadModels,
  companyId: number,
  { people, planned }: Company,
): Promise<void> {
  const shown: unknown[] = [];
  for await (const batch of orderedRows(store, { companyId }))
    for (const { employeeId, number, row } of batch) {
      const { Id, EmployeeID, Firstname, InvitationDate } = JSON.parse(Buffer.from(row).toString()) as Record<
        string,
        unknown
      >;
      shown.push([employeeId, number, Id, EmployeeID, Firstname, InvitationDate]);
    }
  const expected = [...people]
    .map(([number, { id, name, due: date }]) => [id, number, number, id, name, date])
    .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1));
  t.strictSame(shown, expected);
  const plans: unknown[] = [];
  for await (const { value } of store.find(plansCollection, { prefix: [companyId] }))
    for (const { number, due: at } of plannedBehind(
      JSON.parse(Buffer.from(value).toString()) as PlansDocument,
    ))
      plans.push([number, at]);
  t.strictSame(plans.sort(), [...planned].map(([number, at]) => [number, Date.parse(at)]).sort());
  const stored = await store.get(orderCollection, [companyId]);
  const { directory, free } = stored === undefined ? { directory: [], free: [] } : decodeDirectory(stored);
  const runs: unknown[] = [];
  for await (const { key } of store.find(orderRunsCollection, { prefix: [companyId] })) runs.push(key[1]);
  const slots = directory.map(({ slot }) => slot).sort((one, other) => one - other);
  t.strictSame(runs, slots, 'no run is left over');
  const [none] = await store.newest(orderRunsCollection, [[companyId, directory.length + free.length]]);
  t.equal(none, undefined, 'and nothing of any other slot');
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
  t.strictSame(gathered.dump(), plain.dump(), 'gathered');
  const beside = new ModelReadModels();
  await project(on, beside, 0);
  t.strictSame(beside.dump(), plain.dump(), 'each by itself');
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
    t.strictSame(interrupted.dump(), plain.dump(), 'interrupted');
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
