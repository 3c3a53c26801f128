import {
  dueInvitations,
  failedByCompany,
  importsAttention,
  InvitationBoard,
  maxLooked,
  OpenInvitations,
  readWork,
} from '@rollcall/application';
import {
  dueIndexes,
  endedIndexes,
  invitationCollections,
  toCallDocument,
  type DocumentWrite,
} from '@rollcall/application/read';
import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { turnsOf } from '../support/turns.js';
import { withMembers } from '../support/with-members.js';

const now = Date.parse('2026-11-23T08:00:00Z');
const hour = 3_600_000;

/** Companies with one deferred invitation each, or some in turn; counts what is asked of the store, and what it finds. */
async function deferred(moments: readonly number[], companies = moments.length) {
  const store = new ModelReadModels();
  const writes = moments.map((due, at): DocumentWrite => {
    const value = Buffer.from(JSON.stringify({ state: 'deferred', dueAt: '', attempts: 1, due }));
    const companyId = (at % companies) + 1;
    const place = { collection: invitationCollections.progress, key: [companyId, at], revision: 0 } as const;
    return { op: 'put', ...place, value, indexed: dueIndexes(companyId, due) };
  });
  await store.write([writes]);
  let asked = 0;
  const counting =
    <T extends unknown[], R>(ask: (...given: T) => R) =>
    (...given: T): R => {
      asked += 1;
      return ask(...given);
    };
  let found = 0;
  const readModels = withMembers(store, {
    find: counting(store.find.bind(store)),
    findByIndex: counting(async function* (...given) {
      for await (const document of store.findByIndex(...given)) {
        found += 1;
        yield document;
      }
    }),
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
  return { readModels, costOf, hold, found: () => found };
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

t.test('of one company alone, without a question about the others', async (t) => {
  const few = await deferred([now - hour, now - 1]);
  const many = await deferred(Array.from({ length: 300 }, () => now - hour));
  const dueOf = (on: typeof few, id: number) =>
    dueInvitations(on.readModels, now - 1_000, new OpenInvitations(), id);
  t.strictSame(await dueOf(few, 1), [{ companyId: 1, at: now - hour }]);
  t.strictSame(await dueOf(few, 2), [], 'due a moment ago');
  t.equal(await many.costOf(() => dueOf(many, 1)), await few.costOf(() => dueOf(few, 1)));
});

t.test('a look at many companies lets other work go between them', async (t) => {
  const many = await deferred(Array.from({ length: 300 }, () => now - hour));
  const { turns } = await turnsOf(() => dueInvitations(many.readModels, now, new OpenInvitations()));
  t.ok(turns >= 300, `${turns} turns`);
});

/** Invitations that have failed, `each` of every company, a second apart. */
async function failedOnes(companies: number, each = 1) {
  const { readModels, costOf } = await deferred([]);
  const writes = Array.from({ length: companies * each }, (_, n): DocumentWrite => {
    const [company, at] = [(n % companies) + 1, now - n * 1_000];
    const place = { collection: invitationCollections.progress, key: [company, n], revision: 0 } as const;
    return { op: 'put', ...place, value: Buffer.from('{}'), indexed: endedIndexes(company, 'failed', at) };
  });
  await readModels.write([writes]);
  return {
    costOf,
    found: (companyId?: number) => failedByCompany(readModels, { companyId, edges: [0, now + 1] }),
  };
}

t.test('failed invitations of all companies are counted by one question', async (t) => {
  const [few, many] = [await failedOnes(2, 3), await failedOnes(2_000)];
  t.strictSame(await few.found(), {
    counts: new Map([
      [1, 3],
      [2, 3],
    ]),
    looked: 6,
  });
  t.strictSame(await few.found(2), { counts: new Map([[2, 3]]), looked: 0 });
  t.equal((await many.found()).counts.size, 2_000);
  t.equal(await many.costOf(() => many.found()), 1);
  const over = await failedOnes(1, maxLooked + 5);
  t.equal((await over.found()).looked, maxLooked + 1, 'the caller says that there are more');
  t.strictSame((await over.found(1)).counts, new Map([[1, maxLooked + 5]]), 'one company has a whole count');
});

t.test('of more failed imports than are looked at the caller learns that there are more', async (t) => {
  const lookedAt = async (count: number) => {
    const store = new ModelReadModels();
    const row = { UserId: 1, Username: 'u', CreatedOn: '', Method: 'PUT /', HttpStatusCode: 422 };
    const done = { HttpStatusReason: '', CompletedOn: '', Inserted: 0, Updated: 0, Removed: 0, Result: null };
    const value = toCallDocument({ ...row, ...done, ValidationErrors: [], Progress: null });
    const writes = Array.from({ length: count }, (_, n): DocumentWrite => {
      const at = now - n;
      const time = at.toString(16).padStart(12, '0');
      const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
      const place = { collection: 'api-calls', key: [7, id], revision: 1 } as const;
      return { op: 'put', ...place, value, indexed: { state: [2, -at] } };
    });
    await store.write([writes]);
    const { companies, looked } = await importsAttention(store, { since: 0 });
    return [companies.map(({ failed }) => failed), looked > maxLooked];
  };
  t.strictSame(await lookedAt(2_001), [[2_001], false]);
  t.strictSame((await lookedAt(maxLooked + 300))[1], true);
});

t.test('many due ones of held companies are not all read', async (t) => {
  const { readModels, hold, found } = await deferred(
    Array.from({ length: 5_000 }, (_, at) => now - hour + at),
    10,
  );
  await hold([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  t.match(await readWork(readModels, now), { oldestInvitationMs: 0 });
  t.ok(found() < 2_100, `${found()} were read`);
});
