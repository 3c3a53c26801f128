import { openEmbeddedReadModels } from '@rollcall/adapters';
import t from 'tap';
import { upgradeTests } from './upgrades.suite.js';

upgradeTests(t, 500, async (t, { folder }, projections) => {
  const store = await openEmbeddedReadModels({ folder: `${folder}/read-models`, sync: false, projections });
  t.teardown(() => store.close());
  return store;
});
