import { InvitationBoard, dueInvitations, OpenInvitations, readWork } from '@rollcall/application';
import { dueIndexes, invitationCollections, type DocumentWrite } from '@rollcall/application/read';
import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { withMembers } from '../support/with-members.js';

const now = Date.parse('2026-11-23T08:00:00Z');
const hour = 3_600_000;

/** Companies with one deferred invitation each; counts what is asked of the store. */
async function deferred(moments: readonly number[]) {
  const store = new ModelReadModels();
  const writes = moments.map((due, at): DocumentWrite => {
    const value = Buffer.from(JSON.stringify({ state: 'deferred', dueAt: '', attempts: 1, due }));
    const place = { collection: invitationCollections.progress, key: [at + 1, 1], revision: 0 } as const;
    return { op: 'put', ...place, value, indexed: dueIndexes(at + 1, due) };
  });
  await store.write([writes]);
  let asked = 0;
  const counting =
    <T extends unknown[], R>(ask: (...given: T) => R) =>
    (...given: T): R => {
      asked += 1;
      return ask(...given);
    };
  const readModels = withMembers(store, {
    find: counting(store.find.bind(store)),
    findByIndex: counting(store.findByIndex.bind(store)),
  });
  const costOf = async (ask: () => Promise<unknown>): Promise<number> => {
    asked = 0;
    await ask();
    return asked;
  };
  const hold = (companies: readonly number[]): Promise<unknown> => {
    const place = { collection: invitationCollections.holds, revision: 0 };
    const value = Buffer.from('{}');
    return store.write([companies.map((id): DocumentWrite => ({ op: 'put', ...place, key: [id], value }))]);
  };
  return { readModels, costOf, hold };
}

for (const [of, ask] of [
  ['of the worker', (readModels) => new OpenInvitations().companiesDue(readModels, now)],
  ['of status and doctor', (readModels) => readWork(readModels, now)],
  ['of the start view', (readModels) => dueInvitations(readModels, now, new OpenInvitations())],
  [
    'of the invitations of a company',
    (readModels) =>
      new InvitationBoard(readModels, () => Promise.resolve(new OpenInvitations())).waiting({
        companyId: 1,
        now,
        limit: 9,
      }),
  ],
] satisfies [string, (readModels: ModelReadModels) => Promise<unknown>][])
  t.test(`a look ${of} costs the same, however many companies wait for later`, async (t) => {
    const few = await deferred([now + hour]);
    const many = await deferred(Array.from({ length: 1_200 }, () => now + hour));
    const cost = await few.costOf(() => ask(few.readModels));
    t.ok(cost > 0);
    t.equal(await many.costOf(() => ask(many.readModels)), cost);
  });

t.test('the oldest that is due is found with no question more, whatever else is due', async (t) => {
  const none = await deferred([now + hour]);
  const moments = Array.from({ length: 300 }, (_, at) => now - ((at * 7) % 300) * 1_000);
  const many = await deferred(moments);
  const cost = await none.costOf(() => readWork(none.readModels, now));
  t.equal(await many.costOf(() => readWork(many.readModels, now)), cost);
  t.match(await readWork(many.readModels, now), { oldestInvitationMs: 299_000 });
});

t.test('the oldest is found behind more of held companies than one read finds', async (t) => {
  // The 1,001st to the 1,200th company come after the 100 that are asked one by one.
  const { readModels, hold } = await deferred(Array.from({ length: 1_200 }, (_, at) => now - hour + at));
  await hold(Array.from({ length: 1_100 }, (_, at) => at + 1));
  t.match(await readWork(readModels, now), { oldestInvitationMs: hour - 1_100, held: { length: 1_100 } });
});

t.test('invitations that were due at a moment, the first of each company', async (t) => {
  const { readModels } = await deferred([now - hour, now + hour, now - 1, now - hour - 1]);
  t.strictSame(await dueInvitations(readModels, now - hour, new OpenInvitations()), [
    { companyId: 1, at: now - hour },
    { companyId: 4, at: now - hour - 1 },
  ]);
});
