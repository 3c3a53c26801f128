import { openMongodbReadModels } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import t from 'tap';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from '../conformance/read-models.mongodb.support.js';
import { writable } from '../support/writable.js';
import { importListSuite } from './import-list.suite.js';

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = await mongodbUrl();
  importListSuite(async (_, ending) => {
    const store = writable(await openMongodbReadModels({ url: freshDatabase(t, url), clock: systemClock }));
    ending.teardown(() => store.close());
    return store;
  });
}
