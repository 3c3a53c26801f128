import {
  EventLogUnavailable,
  ReadModelsUnavailable,
  type ImportRequest,
  type Imports,
} from '@rollcall/application';
import t from 'tap';
import { startTestApp } from '../support/test-app.js';
import { endpoints, importSettings as settings, operationOf, put, rowOf, rowsOf } from './imports.support.js';

const message = 'An unexpected error happened. Give the ApiOperationId when you report it.';

/** Imports that fail as they are told. */
function failing(imports: Imports, how: { accept?: Error; refuse?: Error }): Imports {
  return {
    ...imports,
    accept: (request: ImportRequest) => (how.accept ? Promise.reject(how.accept) : imports.accept(request)),
    refuse: (...call) => (how.refuse ? Promise.reject(how.refuse) : imports.refuse(...call)),
  };
}

for (const endpoint of endpoints)
  t.test(endpoint.kind, async (t) => {
    t.test('what nobody foresaw is a 500, which names its row', async (t) => {
      const how = { accept: new Error('secret of ann@example.com') };
      const app = await startTestApp(t, { settings, wrapImports: (imports) => failing(imports, how) });
      const answer = await put(app, endpoint, endpoint.body(1));
      t.equal(answer.status, 500);
      t.same(answer.json, { Message: message, ApiOperationId: operationOf(answer) });
      t.match(await rowOf(t, app, operationOf(answer)), {
        HttpStatusCode: 500,
        HttpStatusReason: 'Internal Server Error',
        Method: `PUT ${endpoint.path}`,
        ValidationErrors: { length: 0 },
        UserId: 1,
      });
      const before = await app.eventCount();
      const rehearsed = await put(app, endpoint, endpoint.body(1), { query: '?dryRun=true' });
      t.equal(rehearsed.status, 500);
      t.equal(await app.eventCount(), before, 'a rehearsal leaves none');
    });

    t.test('where the row cannot be written either, the answer is the same', async (t) => {
      const how = { accept: new Error('x'), refuse: new EventLogUnavailable('away') };
      const app = await startTestApp(t, { settings, wrapImports: (imports) => failing(imports, how) });
      const answer = await put(app, endpoint, endpoint.body(1));
      t.equal(answer.status, 500);
      t.same(await rowsOf(app), []);
      t.equal(
        (await put(app, endpoint, endpoint.body(1), { query: '?x=1' })).status,
        503,
        'a 400 needs its row',
      );
    });

    t.test('an outage is a 503 without a row', async (t) => {
      const how: { accept?: Error } = { accept: new EventLogUnavailable('away') };
      const app = await startTestApp(t, { settings, wrapImports: (imports) => failing(imports, how) });
      const key = { headers: { 'idempotency-key': 'k' } };
      const answer = await put(app, endpoint, endpoint.body(1), key);
      t.equal(answer.status, 503);
      t.equal(answer.headers.get('retry-after'), '1');
      t.same(Object.keys(answer.json as object), ['Message']);
      t.same(await rowsOf(app), []);
      delete how.accept;
      t.equal((await put(app, endpoint, endpoint.body(1), key)).status, 200, 'and its key is free');
    });

    t.test('read models that are away take nothing back', async (t) => {
      const app = await startTestApp(t, {
        settings,
        wrap: ({ log, readModels }) => ({
          log,
          readModels: {
            ...readModels,
            reached: () => Promise.reject(new ReadModelsUnavailable('away')),
          },
        }),
      });
      t.equal((await put(app, endpoint, endpoint.body(1))).status, 200);
    });
  });
