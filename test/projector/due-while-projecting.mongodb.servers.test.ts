import { openMongodbReadModels } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import t from 'tap';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from '../conformance/read-models.mongodb.support.js';
import { writable } from '../support/writable.js';
import { dueTests } from './due-while-projecting.suite.js';

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = freshDatabase(t, await mongodbUrl());
  const readModels = await openMongodbReadModels({ url, clock: systemClock });
  t.teardown(() => readModels.close());
  dueTests(t, 'in MongoDB', 30, async () => {
    await (await readModels.newGeneration()).switchTo();
    return writable(readModels);
  });
}
