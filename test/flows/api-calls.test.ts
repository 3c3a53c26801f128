import { systemClock } from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import t from 'tap';
import { failed, progressed, queued, started } from '../projector/import-events.support.js';
import { append } from '../projector/projector.support.js';
import { companyId, otherCompanyId, startTestApp } from '../support/test-app.js';
import { setAside } from '../support/set-aside.js';
import { exactly } from '../support/exactly.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const calls = `/v1.0/Company/${companyId}/ApiCalls`;

interface Row {
  readonly ApiOperationId: string;
}

t.test('ApiCalls', async (t) => {
  const app = await startTestApp(t);
  const rowsAt = async (path: string): Promise<Row[]> => {
    const answer = await app.call('GET', path);
    t.equal(answer.status, 200, path);
    return answer.json as Row[];
  };
  t.same(await rowsAt(calls), [], 'is empty before the first import');
  const operations: string[] = [];
  for (const body of [[], [1], '{', [], []]) {
    const { ApiOperationId } = (await app.call('PUT', employees, { body })).json as Row;
    operations.unshift(ApiOperationId);
  }
  await app.call('PUT', `${employees}?dryRun=true`, { body: [] });
  await app.call('PUT', employees, { body: [], token: app.token({ claims: { roles: [] } }) });
  await app.projected();

  t.test('holds imports, newest first: carried out or refused, no dry run and no 401', async (t) => {
    const rows = await rowsAt(calls);
    t.same(
      rows.map(({ ApiOperationId }) => ApiOperationId),
      operations,
    );
    t.match(rows[0], {
      UserId: 1,
      Username: `User of ${companyId}`,
      CreatedOn: /Z$/,
      CompletedOn: /Z$/,
      Method: `PUT ${employees}`,
      HttpStatusCode: 200,
      HttpStatusReason: 'OK',
      Inserted: 0,
      Updated: 0,
      Removed: 0,
      ValidationErrors: { length: 0 },
    });
    t.match(rows[2], { HttpStatusCode: 400, ValidationErrors: exactly([/JSON/]) });
    t.match(rows[3], { HttpStatusCode: 400, HttpStatusReason: 'Bad Request' });
  });

  t.test('gives one call by its id', async (t) => {
    const id = operations[3] ?? '';
    t.match(await rowsAt(`${calls}?ApiOperationId=${id}`), exactly([{ ApiOperationId: id }]));
    t.match(await rowsAt(`${calls}?apioperationid=${id.toUpperCase()}`), exactly([{ ApiOperationId: id }]));
    t.same(
      await rowsAt(`${calls}?ApiOperationId=019aa2f0-5c00-7000-8000-000000000001`),
      [],
      'none for an unknown one',
    );
  });

  t.test('comes in pages', async (t) => {
    const seen: string[] = [];
    let next: string | undefined = `${calls}?Top=2`;
    while (next !== undefined) {
      const answer = await app.call('GET', next);
      seen.push(...(answer.json as Row[]).map(({ ApiOperationId }) => ApiOperationId));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    t.same(seen, operations);
    t.equal((await app.call('GET', `${calls}?Top=101`)).status, 400, 'of at most 100');
    const [first = '', second = ''] = operations;
    const { headers } = await app.call('GET', `${calls}?top=2`);
    t.equal(headers.get('link'), `<${calls}?Top=2&Before=${second}>; rel="next"`);
    t.same(
      await rowsAt(`${calls}?Before=${second.toUpperCase()}`),
      await rowsAt(`${calls}?Before=${second}`),
    );
    t.equal((await rowsAt(`${calls}?Before=${second.toUpperCase()}`)).length, 3);
    t.match(
      await rowsAt(`${calls}?ApiOperationId=${second}&Before=${first}`),
      exactly([{ ApiOperationId: second }]),
    );
    for (const before of [second, operations[2]])
      t.same(await rowsAt(`${calls}?ApiOperationId=${second}&Before=${before}`), [], 'it is not older');
  });

  t.test('shows another company nothing of it', async (t) => {
    const token = app.token({ claims: { sub: '3', company: otherCompanyId } });
    const path = `/v1.0/Company/${otherCompanyId}/ApiCalls`;
    t.same((await app.call('GET', path, { token })).json, []);
    t.same((await app.call('GET', `${path}?ApiOperationId=${operations[0] ?? ''}`, { token })).json, []);
    t.equal((await app.call('GET', calls, { token })).status, 401);
  });
});

t.test('ApiCalls of a queued import', async (t) => {
  const app = await startTestApp(t);
  const operationId = '019aa2f0-5c00-7000-8000-00000000000a';
  const one = `${calls}?ApiOperationId=${operationId}`;
  const write = async (stream: string, event: DomainEvent): Promise<void> => {
    await append({ log: app.adapters.log, clock: systemClock }, stream, event, { operationId });
    await app.projected();
  };
  await write('company-7', queued(operationId));
  t.match(
    (await app.call('GET', one)).json,
    exactly([
      {
        ApiOperationId: operationId,
        UserId: 3,
        CreatedOn: '2026-11-21T08:59:59.500Z',
        HttpStatusCode: 202,
        HttpStatusReason: 'Accepted',
        CompletedOn: null,
        Inserted: 0,
        Updated: 0,
        Removed: 0,
        Result: null,
        ValidationErrors: { length: 0 },
        Progress: null,
      },
    ]),
  );
  await write(`operation-${operationId}`, started(operationId));
  await write(`operation-${operationId}`, progressed(operationId, 40));
  const processing = { HttpStatusCode: 202, HttpStatusReason: 'Processing...', CompletedOn: null };
  t.match(
    (await app.call('GET', one)).json,
    exactly([{ ...processing, Progress: 'Attempt 1: reading, 40 %' }]),
  );
  await write('company-7', failed(operationId));
  const refused = {
    HttpStatusCode: 400,
    CompletedOn: /Z$/,
    Result: /refused/,
    ValidationErrors: [/allowed/],
  };
  t.match((await app.call('GET', one)).json, exactly([{ ...refused, Progress: null }]));

  const other = '019aa2f0-5c00-7000-8000-00000000000b';
  const broken = { revision: 0, problem: 'its shape' };
  await setAside(app.adapters.readModels, { ...broken, stream: `operation-${operationId}` });
  t.match(await app.call('GET', one), { status: 503, json: { Message: String } }, 'its row may be too old');
  t.match(await app.call('GET', `${calls}?ApiOperationId=${other}`), { status: 200 });
  t.match(await app.call('GET', calls), { status: 200 });
  await setAside(app.adapters.readModels, { ...broken, stream: 'company-7' });
  t.match(await app.call('GET', calls), { status: 503 });
});
