import { openMongodbReadModels } from '@rollcall/adapters';
import t from 'tap';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from '../conformance/read-models.mongodb.support.js';
import { switchTests } from './switches.suite.js';

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = await mongodbUrl();
  switchTests(t, 250, (t) => openMongodbReadModels({ url: freshDatabase(t, url) }));
}
