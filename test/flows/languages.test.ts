import t from 'tap';
import { companyId, startTestApp } from '../support/test-app.js';

const languages = `/v1.0/Company/${companyId}/Language/Enabled`;

t.test('the languages are those of the company', async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const answer = await app.call('GET', languages, { token: app.token({ claims: { sub: '2', roles: [] } }) });
  t.equal(answer.status, 200);
  t.same(answer.json, [
    { id: 1045, label: 'English', code: 'en' },
    { id: 1041, label: 'Danish', code: 'da' },
  ]);
});

t.test('there are none before they can be read', async (t) => {
  const app = await startTestApp(t, { projector: false });
  t.same((await app.call('GET', languages)).json, []);
});
