import { changeWebhook } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { startTestApp, testContext, type TestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { auditor, hiddenIn, signedIn, type Visitor } from './page.support.js';

const person = { EmploymentStatus: 1, Firstname: 'Bilbo', Lastname: 'Baggins' };

async function put(
  app: TestApp,
  Department: string,
  query = '',
  { headers = {}, EmployeeID = 'E-1' } = {},
): Promise<string> {
  const body = [{ ...person, EmployeeID, Email: 'bilbo@example.com', Department }];
  const { json } = await app.call('PUT', `/v1.0/Company/7/Employee${query}`, { body, headers });
  await app.projected();
  return `/operations/imports/${(json as { readonly ApiOperationId: string }).ApiOperationId}`;
}

async function textOf(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(path);
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

tap.test('the same call: at this address, and as it was sent', async (t) => {
  const app = await startTestApp(t);
  const visitor = await signedIn(app);
  const call = async (path: string) =>
    /curl .*/
      .exec((await visitor.get(path)).text)?.[0]
      ?.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  const own = `curl -X PUT '${app.url}/v1.0/Company/7/Employee`;
  t.equal(await call(await put(app, 'Shire')), `${own}' \\`);
  const queued = await put(app, 'Shire', '?Renames=keep', { headers: { prefer: 'respond-async' } });
  t.equal(await call(queued), `${own}?Renames=keep' \\`);
});

tap.test('the attempts of an import: with the call, counted, or not recorded', async (t) => {
  let isRecorded = true;
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: async function* (stream, options) {
          if (isRecorded || !stream.startsWith('operation-')) yield* log.readStream(stream, options);
        },
      }),
    }),
  });
  const visitor = await signedIn(app);
  const ran = async (department: string): Promise<string> => {
    const path = await put(app, department, '', { headers: { prefer: 'respond-async' } });
    t.match(await textOf(visitor, path), /Attempts 0 Body 1 element/);
    t.match(await app.runner.runOldest(7), { kind: 'ended', outcome: 'done' });
    await app.projected();
    return textOf(visitor, path);
  };
  t.match(await textOf(visitor, await put(app, 'Shire')), /Attempts Carried out with the call Operation/);
  t.match(await ran('Moria'), /Attempts 1 Body 1 element/);
  isRecorded = false;
  t.match(await ran('Bree'), /Attempts Not recorded Body 1 element.*Accepted and queued/);
});

tap.test('the count of the updated leads to those who have another EmployeeID', async (t) => {
  const app = await startTestApp(t);
  await put(app, 'Shire');
  const renamed = await put(app, 'Shire', '?Renames=keep', { EmployeeID: 'N-1' });
  const visitor = await signedIn(app);
  const { text } = await visitor.get(renamed);
  const [link = ''] = /[^"]*difference\?[^"]*(?=">1 updated)/.exec(text) ?? [];
  t.match(await textOf(visitor, link), /Renamed: 1 to 1 of 1 .*EmployeeID was E-1 now N-1/);
  const found = await visitor.get('/operations/search?q=E-1');
  t.equal(found.headers.get('location'), '/operations/companies/7/employees/1', 'by the former EmployeeID');
  t.match(await textOf(visitor, '/operations/companies/7/employees?q=E-1'), /Bilbo Baggins N-1/);
});

async function takeBack(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(`${path}/undo`);
  const form = { token: hiddenIn(text, 'token'), revision: hiddenIn(text, 'revision'), reason: 'test' };
  return (await visitor.post(`${path}/undo`, form)).headers.get('location') ?? '';
}

tap.test('an import that was taken back names the one that did it, until that is taken back', async (t) => {
  const app = await startTestApp(t);
  const visitor = await signedIn(app);
  await put(app, 'Shire');
  const moved = await put(app, 'Moria');
  t.equal((await (await signedIn(app, auditor)).get(`${moved}/undo`)).status, 403, 'not an Auditor');
  const undo = await takeBack(visitor, moved);
  t.match(await textOf(visitor, moved), `Taken back by ${undo.slice(20)}`);
  t.notMatch(await textOf(visitor, moved), /Take this import back/);
  t.match(await textOf(visitor, undo), new RegExp(`Take this import back.*Takes back ${moved.slice(20)}`));
  t.notMatch(await textOf(visitor, undo), /The same call|curl/);
  const left = await textOf(visitor, `${moved}/undo`);
  t.match(left, /Nothing is left to take back/);
  t.notMatch(left, /Why|Changed back/, 'no form');
  const undone = await takeBack(visitor, undo);
  t.match(await textOf(visitor, moved), /Take this import back/);
  t.notMatch(await textOf(visitor, moved), /Taken back by/);
  await takeBack(visitor, undone);
  t.match(await textOf(visitor, moved), /Taken back by/);
});

tap.test('an import that was taken back, restored and taken back again names the newest', async (t) => {
  const app = await startTestApp(t);
  const visitor = await signedIn(app);
  await put(app, 'Shire');
  const moved = await put(app, 'Moria');
  await takeBack(visitor, await takeBack(visitor, moved));
  const again = await takeBack(visitor, moved);
  t.match(await textOf(visitor, moved), `Taken back by ${again.slice(20)}`);
});

tap.test('an undo that found nothing to do is not what took an import back', async (t) => {
  const app = await startTestApp(t);
  const visitor = await signedIn(app);
  await put(app, 'Shire');
  const moved = await put(app, 'Moria');
  const takeNothingBack = async (newest: string): Promise<void> => {
    const { text } = await visitor.get(`${newest}/undo`);
    const form = { token: hiddenIn(text, 'token'), revision: hiddenIn(text, 'revision'), reason: 'test' };
    t.match(await visitor.post(`${moved}/undo`, { ...form, force: 'true' }), { status: 303 });
  };
  const undo = await takeBack(visitor, moved);
  await takeNothingBack(undo);
  t.match(await textOf(visitor, moved), `Taken back by ${undo.slice(20)}`);
  await takeBack(visitor, undo);
  t.match(await textOf(visitor, moved), /Take this import back/);
  await takeNothingBack(await put(app, 'Bree'));
  t.match(await textOf(visitor, moved), /Take this import back/, 'a later import had changed all of it');
});

/** As if what is `behind` an event, or before it, were past the events that are looked at. */
const shortSighted = (t: Test, isBehind: boolean): Promise<TestApp> =>
  startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: async function* (stream, options = {}) {
          const { limit, backwards = false } = options;
          const isCut = limit === 500 && backwards !== isBehind;
          yield* log.readStream(stream, isCut ? { ...options, limit: backwards ? 1 : 0 } : options);
        },
      }),
    }),
  });

tap.test('an import that was taken back long after it says so', async (t) => {
  const app = await shortSighted(t, true);
  const visitor = await signedIn(app);
  await put(app, 'Shire');
  const moved = await put(app, 'Moria');
  const undo = await takeBack(visitor, moved);
  t.match(await textOf(visitor, moved), `Taken back by ${undo.slice(20)}`);
  t.notMatch(await textOf(visitor, moved), /Take this import back/);
});

tap.test('an import that was queued long before its end is tried again', async (t) => {
  const app = await shortSighted(t, false);
  const visitor = await signedIn(app);
  const queued = await put(app, 'Shire', '', { headers: { prefer: 'respond-async' } });
  const post = async (action: string) =>
    visitor.post(`${queued}/${action}`, { token: await visitor.token(queued), reason: 'test' });
  t.equal((await post('cancel')).status, 303);
  t.match(await textOf(visitor, queued), /Cancelled .*Queue this import again/);
  t.equal((await post('retry')).status, 303);
});

tap.test('an older list is not tried again over a newer one', async (t) => {
  const app = await startTestApp(t);
  const visitor = await signedIn(app);
  const older = await put(app, 'Shire', '', { headers: { prefer: 'respond-async' } });
  const post = async (action: string) =>
    visitor.post(`${older}/${action}`, { token: await visitor.token(older), reason: 'test' });
  t.equal((await post('cancel')).status, 303);
  await put(app, 'Moria');
  t.match(await post('retry'), { status: 422, text: /A newer list was accepted since/ });
});

tap.test('an import names the webhooks that asked for what became of it, and no others', async (t) => {
  const app = await startTestApp(t);
  for (const type of ['import.completed', 'import.failed'] as const)
    await changeWebhook({ ...app.adapters, clock: { now: Date.now } }, testContext(7), {
      kind: 'add',
      companyId: 7,
      url: `https://hr.example.com/${type}`,
      types: [type],
    });
  const text = await textOf(await signedIn(app), await put(app, 'Shire'));
  t.match(text, /Webhook https:\/\/hr\.example\.com\/import\.completed : not notified yet/);
  t.notMatch(text, /import\.failed/);
});
