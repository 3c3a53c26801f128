import { openMongodbReadModels } from '@rollcall/adapters';
import t from 'tap';
import { mongodbUrl, skipWithoutMongodb, withDatabase } from '../conformance/read-models.mongodb.support.js';
import { upgradeTests } from './upgrades.suite.js';

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = await mongodbUrl();
  upgradeTests(t, 100, async (t, { folder }, projections) => {
    const database = folder.replace(/^.*\//, 'test-');
    const store = await openMongodbReadModels({ url: withDatabase(url, database), projections });
    t.teardown(() => store.close());
    return store;
  });
}
