import { openMongodbSnapshots } from '@rollcall/adapters';
import { ObjectId, type CommandStartedEvent, type Document } from 'mongodb';
import t, { type Test } from 'tap';
import { databaseAt, freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { snapshotsConformance } from './snapshots.suite.js';
import { filled, type FreshSnapshots } from './snapshots.support.js';

const freshOn =
  (serverUrl: string): FreshSnapshots =>
  (t) => {
    const location = freshDatabase(t, serverUrl);
    const clock = { at: Date.now(), now: () => clock.at };
    const database = databaseAt(t, location);
    const files = database.collection('snapshots.files');
    const chunks = database.collection('snapshots.chunks');
    const set = (change: Document) => async (): Promise<void> => {
      await files.updateOne({}, { $set: change });
    };
    return Promise.resolve({
      adapter: 'mongodb',
      location,
      clock,
      open: async () => {
        const store = await openMongodbSnapshots({ url: location, clock });
        t.teardown(() => store.close());
        return store;
      },
      harms: {
        'without a chunk': async () => {
          await chunks.deleteOne({ n: 1 });
        },
        'without any chunk': async () => {
          await chunks.deleteMany({});
        },
        'other bytes': async () => {
          await chunks.updateOne({ n: 1 }, { $set: { data: Buffer.alloc(1_200_000 - 1_048_576) } });
        },
        'shorter bytes': async () => {
          await chunks.updateOne({ n: 1 }, { $set: { data: Buffer.of(1) } });
        },
        'another length': set({ length: 1_000_000 }),
        'another revision': set({ 'metadata.revision': 2 }),
        'another chain value': set({ 'metadata.chain': 'ac'.repeat(32) }),
        'another moment': set({ 'metadata.recordedAt': '2026-11-21T09:01:00.000Z' }),
        'no metadata': set({ metadata: null }),
      },
      pieces: () => chunks.countDocuments(),
      leaveUnfinished: async () => {
        const id = new ObjectId(ObjectId.generate(Math.floor(clock.at / 1_000)));
        await chunks.insertOne({ files_id: id, n: 0, data: Buffer.alloc(1_048_576) });
      },
    });
  };

async function majority(t: Test, url: string): Promise<void> {
  const sent: Document[] = [];
  const commandStarted = ({ command }: CommandStartedEvent): void => void sent.push(command);
  const store = await openMongodbSnapshots({ url, commandStarted });
  t.teardown(() => store.close());
  t.same(sent, [], 'it connects when it is first asked');
  await store.put(filled(1));
  await store.put(filled(2));
  t.match(await store.newest('company-7', 3), { revision: 2 });
  for (const command of sent) {
    if ('insert' in command || 'delete' in command)
      t.match(command, { writeConcern: { w: 'majority', j: true } });
    if ('find' in command && command['find'] !== 'system.indexes')
      t.match(command, { readConcern: { level: 'majority' } });
  }
  await store.close();
  await t.rejects(store.newest('company-7', 3), { name: 'ReadModelsUnavailable' });
}

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = await mongodbUrl();
  snapshotsConformance('mongodb', freshOn(url));
  t.test('what is written is known by the majority, as what is read', (t) =>
    majority(t, freshDatabase(t, url)),
  );
}
