import {
  employeeSetsCollection,
  evolveRows,
  invitationCollections,
  lastPlanned,
  OpenInvitations,
  type SavedInvitations,
  PlanRanges,
  blockOf,
  type BlockPlace,
  blocksCollection,
  newestIn,
  noBlock,
} from '@rollcall/application';
import type { ProgressChanges } from '@rollcall/application/read';
import fc from 'fast-check';
import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openInvitations } from '../support/open-invitations.js';
import { scale, seed } from '../support/scale.js';

const companyId = 7;
const json = (document: unknown): Uint8Array => Buffer.from(JSON.stringify(document));

const byMoment = ([one = 0, a = 0]: number[], [other = 0, b = 0]: number[]): number => one - other || a - b;

/** The store beside a plain list of what must be found in it. */
class Invited {
  readonly store = new ModelReadModels();
  readonly due = new Map<number, number>();
  /** Of the last plans in the log. */
  position = 0;
  readonly #blocks: BlockPlace[] = [];
  #revision = 0;
  #last = 0;

  /** Gaps are employees without an invitation. */
  async plan(steps: readonly (readonly [gap: number, due: number])[]): Promise<void> {
    const ranges = new PlanRanges();
    for (const [gap, due] of steps) {
      const number = (this.#last += gap);
      ranges.add(number, due);
      this.due.set(number, due);
      await this.#row(number, json({ EmployeeID: `e${number}` }));
    }
    for (const document of ranges.documents('op')) {
      const indexed = { position: [(this.position += 1)] };
      await this.#put(invitationCollections.plans, lastPlanned(document), json(document), indexed);
    }
  }

  /** Everything that was planned is applied, and nothing that was is missing. */
  async finish(change: ProgressChanges = {}): Promise<void> {
    await this.store.advance(await this.store.progress(), { position: BigInt(this.position) }, change);
  }

  /** `due` is when it is to be looked at again. */
  async progress(number: number, due: number | null): Promise<void> {
    const indexed = due === null ? {} : { due: [companyId, due] };
    await this.#put(invitationCollections.progress, number, json({ due }), indexed);
    if (due === null) this.due.delete(number);
    else this.due.set(number, due);
  }

  async leave(number: number): Promise<void> {
    await this.#row(number, undefined);
    const begun = await this.store.get(invitationCollections.progress, [companyId, number]);
    if (begun === undefined) this.due.delete(number);
  }

  expected(now: number): number[][] {
    return [...this.due]
      .filter(([, due]) => due <= now)
      .map(([number, due]) => [due, number])
      .sort(byMoment);
  }

  async #row(number: number, row: Uint8Array | undefined): Promise<void> {
    const block = blockOf(number);
    const own = newestIn(this.#blocks[block] ?? noBlock);
    const before = await this.store.get(blocksCollection, [companyId, block, own]);
    const value = evolveRows(before, new Map([[number, row]]));
    const revision = (this.#revision += 1);
    while (this.#blocks.length <= block) this.#blocks.push(noBlock);
    this.#blocks[block] = [revision];
    const place = { collection: blocksCollection, key: [companyId, block, revision], revision } as const;
    const set = { collection: employeeSetsCollection, key: [companyId], revision } as const;
    await this.store.write([
      [{ op: 'put', ...place, value }],
      [
        {
          op: 'put',
          ...set,
          value: json({ revision, blocks: this.#blocks, runs: [], replaced: [], since: 0 }),
        },
      ],
    ]);
  }

  #put(
    collection: string,
    number: number,
    value: Uint8Array,
    indexed: Readonly<Record<string, readonly number[]>> = {},
  ): Promise<void> {
    const revision = (this.#revision += 1);
    return this.store.write([
      [{ op: 'put', collection, key: [companyId, number], revision, value, indexed }],
    ]);
  }
}

type Step =
  | { readonly kind: 'plan'; readonly steps: readonly (readonly [number, number])[] }
  | { readonly kind: 'progress'; readonly at: number; readonly due: number | null }
  | { readonly kind: 'leave'; readonly at: number }
  | { readonly kind: 'finish' }
  | { readonly kind: 'look'; readonly now: number }
  | { readonly kind: 'restart' };

const moment = fc.constantFrom(1000, 2000, 3000);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('plan' as const),
      steps: fc.array(fc.tuple(fc.constantFrom(1, 1, 1, 2, 300), moment), { minLength: 1, maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant('progress' as const), at: fc.nat(), due: fc.option(moment) }),
    fc.record({ kind: fc.constant('leave' as const), at: fc.nat() }),
    fc.constant({ kind: 'finish' as const }),
    fc.record({ kind: fc.constant('look' as const), now: moment }),
    fc.constant({ kind: 'restart' as const }),
  ),
  { maxLength: 30 },
);

async function happen(
  invited: Invited,
  planned: number[],
  step: Exclude<Step, { kind: 'look' | 'restart' }>,
): Promise<void> {
  if (step.kind === 'plan') {
    await invited.plan(step.steps);
    planned.push(...[...invited.due.keys()].filter((each) => !planned.includes(each)));
    return;
  }
  if (step.kind === 'finish') return invited.finish();
  const number = planned[step.at % Math.max(1, planned.length)];
  if (number === undefined) return;
  await (step.kind === 'progress' ? invited.progress(number, step.due) : invited.leave(number));
}

t.test('what is due is found, however it was looked for before', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const invited = new Invited();
      let open = new OpenInvitations();
      const planned: number[] = [];
      for (const step of all) {
        if (step.kind === 'restart')
          open = OpenInvitations.from(JSON.parse(JSON.stringify(open.saved)) as SavedInvitations);
        else if (step.kind === 'look') {
          const found = await openInvitations(invited.store, open, { now: step.now });
          const pairs = found.map(({ due, number }) => [due, number]);
          t.strictSame(pairs.sort(byMoment), invited.expected(step.now));
        } else await happen(invited, planned, step);
      }
    }),
    { numRuns: Math.ceil(scale * 2_000), seed },
  );
});

t.test('a limit gives the earliest', async (t) => {
  const invited = new Invited();
  await invited.plan([
    [1, 3000],
    [1, 1000],
    [1, 2000],
    [1, 1000],
  ]);
  await invited.progress(3, 500);
  const found = await openInvitations(invited.store, undefined, { now: 2500, limit: 2 });
  t.strictSame(found, [
    { number: 3, due: 500 },
    { number: 2, due: 1000 },
  ]);
});

t.test('how long it is until the next is due, without those that are due now', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  await invited.plan([
    [1, 1000],
    [1, 3000],
  ]);
  await invited.finish();
  await open.companiesDue(invited.store, 400);
  t.equal(open.nextAfter(400), 600);
  t.equal(open.nextAfter(1000), Infinity);
});

t.test('plans that were read are not read again, whatever is planned later', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  const { store } = invited;
  let read = 0;
  const findByIndex = store.findByIndex.bind(store);
  store.findByIndex = async function* (collection, ...given) {
    for await (const document of findByIndex(collection, ...given)) {
      if (collection === invitationCollections.plans) read += 1;
      yield document;
    }
  };
  for (let plans = 1; plans <= 3; plans += 1) {
    await invited.plan([[1, 1000]]);
    await invited.finish();
    t.equal((await openInvitations(invited.store, open)).length, plans);
    t.equal((await openInvitations(invited.store, open)).length, plans);
    t.equal(read, plans);
  }
});

t.test('plans of a stream that was parked are found when it goes on, behind the progress', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  const stream = `company-${companyId}`;
  const last = 10;
  invited.position = last;
  await invited.finish({ park: [{ stream, revision: 0, problem: 'cannot be read' }] });
  t.strictSame(await openInvitations(invited.store, open), []);
  invited.position = 0;
  await invited.plan([[1, 1000]]);
  invited.position = last + 1;
  await invited.finish({ unpark: stream });
  t.strictSame(await openInvitations(invited.store, open), [{ number: 1, due: 1000 }]);
});

t.test('of a log that was put back nothing counts that was read before', async (t) => {
  const open = new OpenInvitations();
  const before = new Invited();
  for (const due of [1000, 2000, 1000]) await before.plan([[1, due]]);
  await before.finish();
  t.equal((await openInvitations(before.store, open)).length, 3);
  const restored = new Invited();
  await restored.plan([
    [1, 1500],
    [1, 1000],
  ]);
  await restored.finish();
  t.strictSame(await openInvitations(restored.store, open), [
    { number: 2, due: 1000 },
    { number: 1, due: 1500 },
  ]);
});
