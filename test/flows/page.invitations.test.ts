import tap from 'tap';
import { happened } from '../page/history.js';
import { ManualTime } from '../support/manual-timer.js';
import { startTestApp } from '../support/test-app.js';
import { exactly } from '../support/exactly.js';
import { signedIn, type Visitor } from './page.support.js';

const path = '/operations/invitations?company=7';

async function textOf(visitor: Visitor, of: string): Promise<string> {
  const { text } = await visitor.get(of);
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

tap.test('deferred invitations are listed and counted with their last error', async (t) => {
  const app = await startTestApp(t);
  const body = [1, 2, 3].map((number) => ({
    EmployeeID: `E-${number}`,
    ...{ Firstname: 'Bilbo', Lastname: 'Baggins', Email: `bilbo.${number}@example.com`, EmploymentStatus: 1 },
  }));
  await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  const now = Date.now();
  const dueAt = new Date(now - 60_000).toISOString();
  const until = new Date(now + 600_000).toISOString();
  for (const [number, problem] of [
    [1, '451 4.3.0 try again later'],
    [2, 'no answer'],
  ] as const) {
    const on = { at: now, stream: `invitation-7-${number}` };
    const sending = { dueAt, until, attempt: 1, messageId: `m-${number}@example.com`, startedAt: dueAt };
    await happened(app, on, { name: 'InvitationSending', data: sending });
    const nextAttemptAt = new Date(now + 3_600_000).toISOString();
    await happened(app, on, {
      name: 'InvitationDeferred',
      data: { dueAt, nextAttemptAt, code: '451', problem },
    });
  }
  await app.projected();
  const visitor = await signedIn(app);
  const text = await textOf(visitor, path);
  t.match(
    text,
    /2 invitations deferred: tried again later .*E-1 ◷ Deferred .* 1 451 4\.3\.0 try again later E-2/,
  );
  t.match(text, /E-2 ◷ Deferred .* 451 no answer/);
  t.match(await textOf(visitor, '/operations/companies/7/employees/1'), /Last error 451 4\.3\.0 try again/);
});

tap.test('an invitation that is sent again while all are held says what stops it', async (t) => {
  const app = await startTestApp(t);
  const one = { EmployeeID: 'E-1', Firstname: 'Bilbo', Lastname: 'Baggins', Email: 'bilbo@example.com' };
  await app.call('PUT', '/v1.0/Company/7/Employee', { body: [{ ...one, EmploymentStatus: 1 }] });
  await app.projected();
  const visitor = await signedIn(app);
  const employee = '/operations/companies/7/employees/1';
  const post = async (to: string) =>
    visitor.post(to, { token: await visitor.token(employee), reason: 'a pause' });
  const again = async (): Promise<string> => {
    t.match(await post(`${employee}/resend`), { status: 303 });
    return textOf(visitor, employee);
  };
  t.match(await again(), /Done\. The invitation is due now\./);
  t.match(await post('/operations/companies/7/invitations/hold'), { status: 303 });
  t.match(await again(), /is due, and is sent once the held invitations of this company are released/);
  t.match(await textOf(visitor, path), /An e-mail that is sent cannot be taken back/);
  t.match(await post('/operations/companies/7/invitations/release'), { status: 303 });
  t.match(await textOf(visitor, path), /To stop those not sent yet, hold them again/);
});

tap.test('as many are counted as looked at as the page shows', async (t) => {
  const time = new ManualTime();
  const app = await startTestApp(t, { every: time.every, shape: 'one' });
  const body = Array.from({ length: 51 }, (_, at) => ({
    EmployeeID: `E-${at}`,
    ...{ Firstname: 'Bilbo', Lastname: 'Baggins', Email: `bilbo.${at}@example.com` },
    ...{ EmploymentStatus: 1, InvitationDate: '2026-01-01T08:00:00Z' },
  }));
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  await app.projected();
  const visitor = await signedIn(app);
  t.match(await textOf(visitor, path), /More than 50 invitations due/);
  const { ApiOperationId } = json as { readonly ApiOperationId: string };
  t.match(
    await textOf(visitor, `/operations/imports/${ApiOperationId}/undo`),
    /They leave: 51 .* and 1 more/,
  );
  await visitor.get('/operations/companies/7/moments?at=2099-01-01T00:00');
  await time.tick(60_000);
  const reads: unknown[] = [];
  for await (const { stream } of app.adapters.log.listStreams('reads-'))
    for await (const { data } of app.adapters.log.readStream(stream))
      reads.push(JSON.parse(Buffer.from(data).toString()));
  const counts = [
    { what: 'invitations', rows: 50 },
    { what: 'preview of an undo', rows: 50 },
    { what: 'state at a moment', rows: 51 },
  ];
  t.match(reads, exactly([{ reads: counts }]));
});

tap.test('who has left is still counted as planned, which the page says, and is not invited', async (t) => {
  const app = await startTestApp(t);
  const InvitationDate = new Date(Date.now() + 90 * 24 * 3_600_000).toISOString();
  const put = (numbers: readonly number[]) =>
    app.call('PUT', '/v1.0/Company/7/Employee', {
      body: numbers.map((number) => ({
        ...{ EmployeeID: `E-${number}`, Firstname: 'Bilbo', Lastname: 'Baggins', InvitationDate },
        ...{ Email: `bilbo.${number}@example.com`, EmploymentStatus: 1 },
      })),
    });
  await put([1, 2]);
  await put([1]);
  await app.projected();
  const visitor = await signedIn(app);
  t.match(await textOf(visitor, path), /in all: 2\. Who has left since, .* is counted too/);
  const to = '/operations/companies/7/employees/2/resend';
  const token = await visitor.token('/operations/companies/7/employees/1');
  const refused = await visitor.post(to, { token, reason: 'a pause' });
  t.match(refused, { status: 422, text: /<a href="#main">Nobody who has left is invited/ });
});
