import t from 'tap';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { readModelsConformance, readModelsCrashConformance, type Conformance } from './read-models.suite.js';

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = await mongodbUrl();
  const conformance: Conformance = {
    adapter: 'mongodb',
    locate: (t) => freshDatabase(t, url),
    transactions: false,
  };
  readModelsConformance(conformance);
  readModelsCrashConformance(conformance);
}
