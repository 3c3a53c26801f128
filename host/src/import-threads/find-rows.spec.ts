import type { ReadModelReader } from '@rollcall/application';
import t from 'tap';
import { findRows } from './find-rows.js';

t.test('rows of a revision get a moment to be shown', async (t) => {
  const steps: unknown[] = [];
  const readModels: Parameters<typeof findRows>[0] = {
    get: () => Promise.resolve(undefined),
    getMany: ((
      collection: string,
      keys: readonly unknown[],
      take: (value: undefined, at: number) => unknown,
    ) => {
      steps.push(collection);
      return Promise.resolve(keys.map((_, at) => take(undefined, at)));
    }) as ReadModelReader['getMany'],
    reached: (stream, revision) => {
      steps.push(`${stream}@${revision}`);
      return Promise.resolve(true);
    },
  };
  t.same(await findRows(readModels)('managers', 7, [1]), [undefined]);
  await findRows(readModels)('managers', 7, [1], null);
  await findRows(readModels)('managers', 7, [1], 4);
  t.same(steps, ['manager-users', 'manager-users', 'company-7@4', 'manager-users']);
});
