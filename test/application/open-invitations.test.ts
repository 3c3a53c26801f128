import {
  invitationCollections,
  OpenInvitations,
  readInvitation,
  readInvitations,
  type SavedInvitations,
} from '@rollcall/application';
import type { Invitation } from '@rollcall/contracts';
import fc from 'fast-check';
import t from 'tap';
import { openInvitations } from '../support/open-invitations.js';
import { scale, seed } from '../support/scale.js';
import { withMembers } from '../support/with-members.js';
import { byMoment, companyId, Invited } from './open-invitations.support.js';

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
        if (step.kind === 'restart') open = restarted(open);
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

t.test('a company whose begun invitations wait costs nothing until one is due', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  await invited.plan([
    [1, 1000],
    [1, 3000],
  ]);
  await invited.progress(1, 2000);
  await invited.finish();
  await openInvitations(invited.store, open, { now: 1000 });
  t.strictSame(await open.companiesDue(invited.store, 1999), []);
  t.strictSame(await openInvitations(invited.store, open, { now: 2000 }), [{ number: 1, due: 2000 }]);
  await invited.progress(1, 9000);
  t.strictSame(await openInvitations(invited.store, open, { now: 3000 }), [{ number: 2, due: 3000 }]);
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

const restarted = (open: OpenInvitations): OpenInvitations =>
  OpenInvitations.from(JSON.parse(JSON.stringify(open.saved)) as SavedInvitations);

for (const [when, between] of [
  ['', (open: OpenInvitations) => open],
  [', while the worker was away', restarted],
] as const)
  t.test(
    `plans of a stream that was parked are found when it goes on${when}, behind the progress`,
    async (t) => {
      const invited = new Invited();
      const stream = `company-${companyId}`;
      const parked = (revision: number) => ({ stream, revision, problem: 'cannot be read' });
      const last = 10;
      invited.position = last;
      await invited.finish({ park: [parked(0)] });
      const open = new OpenInvitations();
      t.strictSame(await openInvitations(invited.store, open), []);
      const later = between(open);
      invited.position = 0;
      await invited.plan([[1, 1000]]);
      invited.position = last + 1;
      await invited.finish({ unpark: stream });
      await invited.finish({ park: [parked(1)] });
      t.strictSame(await openInvitations(invited.store, later), [{ number: 1, due: 1000 }], 'parked again');
      const latest = between(later);
      invited.position = 1;
      await invited.plan([[1, 2000]]);
      invited.position = last + 2;
      await invited.finish({ unpark: stream });
      t.equal((await openInvitations(invited.store, latest)).length, 2);
    },
  );

t.test('while the set is older than the plans, who is not in it yet is waited for', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  await invited.planAhead(1, 1000);
  await invited.finish();
  t.strictSame(await openInvitations(invited.store, open), []);
  await invited.arrive(1);
  t.strictSame(await openInvitations(invited.store, open), [{ number: 1, due: 1000 }]);
});

t.test('plans that are read again after a failure leave those from before open', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  await invited.plan([[1, 1000]]);
  await invited.finish();
  await openInvitations(invited.store, open);
  await invited.plan([[1, 2000]]);
  await invited.finish();
  const failing = withMembers(invited.store, {
    async *findByIndex(...given) {
      yield* invited.store.findByIndex(...given);
      throw new Error('away');
    },
  });
  await t.rejects(openInvitations(failing, open), { message: 'away' });
  t.strictSame(await openInvitations(invited.store, open), [
    { number: 1, due: 1000 },
    { number: 2, due: 2000 },
  ]);
});

t.test('who was away when theirs was due is looked at again after an undo', async (t) => {
  const invited = new Invited();
  const open = new OpenInvitations();
  await invited.plan([[1, 1000]]);
  await invited.leave(1);
  await invited.finish();
  t.strictSame(await openInvitations(invited.store, open), []);
  await invited.undo(1);
  await invited.finish();
  t.strictSame(await openInvitations(invited.store, open), [{ number: 1, due: 1000 }]);
});

t.test('however many undos there were, all plans of a company are read again once', async (t) => {
  const invited = new Invited();
  for (const due of [1000, 2000, 3000]) await invited.plan([[2, due]]);
  for (let undo = 0; undo < 5; undo += 1) await invited.undo(2);
  await invited.finish();
  const reads: string[] = [];
  const counting = withMembers(invited.store, {
    find: (collection, options) => (reads.push(collection), invited.store.find(collection, options)),
  });
  const found = await openInvitations(counting);
  t.strictSame([found.length, reads], [3, [invitationCollections.plans]]);
});

t.test('one invitation is what the list has of it, and of its plans one is read', async (t) => {
  const invited = new Invited();
  const { store } = invited;
  const requested = { state: 'deferred', attempts: 2, dueAt: '2026-11-21T08:00:00Z' };
  for (const gap of [1, 2, 3]) await invited.plan([[gap, gap * 1000]]);
  await invited.progress(3, 5000, requested);
  await invited.progress(9, 6000, requested);
  await invited.leave(6);
  const all: Invitation[] = [];
  for await (const one of readInvitations(store, { companyId, now: 1500 })) all.push(one);
  const states = all.map(({ Number, State }) => `${Number} ${State}`);
  t.strictSame(states, ['1 Due', '3 Deferred', '6 Cancelled', '9 Cancelled']);
  const asked: unknown[] = [];
  const find = store.find.bind(store);
  store.find = (collection, options) => {
    asked.push([collection, options.limit]);
    return find(collection, options);
  };
  for (let number = 0; number <= 10; number += 1) {
    const own = all.find((one) => one.Number === number);
    t.strictSame(await readInvitation(store, { companyId, number, now: 1500 }), own);
    t.strictSame(asked.splice(0), [[invitationCollections.plans, 1]]);
  }
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

t.test('a look reads some more employees than are sent until the next, however many are due', async (t) => {
  const invited = new Invited();
  await invited.plan(Array.from({ length: 600 }, () => [1, 1000]));
  await invited.finish();
  const looked: number[] = [];
  const counting = withMembers(invited.store, {
    getMany: (collection, keys, take) => {
      if (collection === invitationCollections.progress) looked.push(keys.length);
      return invited.store.getMany(collection, keys, take);
    },
  });
  const open = new OpenInvitations();
  const look = (limit: number) => openInvitations(counting, open, { now: 1000, limit });
  t.equal((await look(10)).length, 10);
  for (let number = 1; number <= 10; number += 1) await invited.progress(number, null);
  t.strictSame((await look(10))[0], { number: 11, due: 1000 });
  t.strictSame(looked, [20, 20]);
  t.equal((await look(1_000)).length, 590);
  for (let number = 11; number <= 590; number += 1) await invited.progress(number, null);
  looked.length = 0;
  t.equal((await look(5)).length, 5);
  t.strictSame(looked, [10, 20, 40, 80, 160, 280], 'and after a long time, many at once');
});
