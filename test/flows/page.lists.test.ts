import { type IndexOptions, ReadModelsUnavailable } from '@rollcall/application';
import { setImmediate } from 'node:timers/promises';
import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { ada, signedIn } from './page.support.js';

const everywhere = { ...ada, companyId: null };

tap.test('a company that is none is a mistake beside its field', async (t) => {
  const app = await startTestApp(t);
  const { status } = await app.call('PUT', '/v1.0/Company/7/Employee', { body: [] });
  t.equal(status, 200);
  await app.projected();
  const visitor = await signedIn(app, everywhere);
  const imports = (query: string) => visitor.get(`/operations/imports?${query}`);
  const wrong = { status: 422, text: /id="company-problem"><b>Error:<(?!.*Imports, the newest first)/s };
  for (const company of ['abc', '999', '07', '7e0'])
    t.match(await imports(`company=${company}`), wrong, company);
  const right = { status: 200, text: 'Imports, the newest first' };
  for (const company of ['', '7', '+7']) t.match(await imports(`company=${company}`), right, company);
  const own = await signedIn(app);
  t.match(await own.get('/operations/imports?company=7'), right);
  t.match(await own.get('/operations/imports?company=8'), { status: 404 });
});

tap.test(
  'tabs that are loaded at once share one look for overdue invitations, also where it fails',
  async (t) => {
    let [looks, now, isAway] = [0, 0, false];
    const app = await startTestApp(t, {
      timer: () => now,
      wrap: ({ log, readModels }) => ({
        log,
        readModels: withMembers(readModels, {
          findByIndex: async function* (collection: string, index: string, options: IndexOptions) {
            if (index === 'position') {
              looks += 1;
              for (let turns = 0; turns < 100; turns += 1) await setImmediate();
              if (isAway) throw new ReadModelsUnavailable('late');
            }
            yield* readModels.findByIndex(collection, index, options);
          },
        }),
      }),
    });
    await app.projected();
    for (const operator of [ada, everywhere])
      for (const status of [200, 503]) {
        const visitor = await signedIn(app, operator);
        looks = 0;
        now += 60_000;
        isAway = status === 503;
        const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.get('/operations')));
        t.strictSame([...new Set(answers.map((answer) => answer.status)), looks], [status, 1]);
      }
  },
);
