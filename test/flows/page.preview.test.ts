import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { signedIn } from './page.support.js';
import { csv, formIn, line, path, plain, putTwo } from './page.upload.support.js';

tap.test('a preview may be asked for twice with one form, what carries out not', async (t) => {
  const app = await startTestApp(t);
  await putTwo(app);
  const visitor = await signedIn(app);
  const form = { token: await visitor.token(path), kind: 'employees', text: csv(line(1)) };
  const [shown, again] = await Promise.all([visitor.post(path, form), visitor.post(path, form)]);
  for (const { status, text } of [shown, again, await visitor.post(path, form)]) {
    t.equal(status, 200);
    t.match(plain(text), /Remove 1 employee: apply/);
  }
  const apply = formIn(shown.text, `${path}/apply`);
  for (const time of [1, 2])
    t.equal((await visitor.post(`${path}/apply`, apply)).status, 422, `no reason ${time}`);
  const explained = { ...apply, reason: 'they have left' };
  t.equal((await visitor.post(`${path}/apply`, explained)).status, 303);
  t.match(await visitor.post(`${path}/apply`, explained), { status: 409, text: /sent before/ });
});
