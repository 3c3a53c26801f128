import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  cancelQueuedImport,
  CompanyStateCache,
  decideHeldImport,
  systemClock,
  type ManageImportsDeps,
} from '@rollcall/application';
import {
  rollcallClient,
  RollcallError,
  syncEmployees,
  type Employee,
  type SyncOptions,
} from '@rollcall/client';
import { Digester } from '@rollcall/employee-lists';
import openapiTS, { astToString } from 'openapi-typescript';
import t from 'tap';
import { noSleep } from '../application/decide-and-append.support.js';
import { exactly } from '../support/exactly.js';
import { Program } from '../support/program.js';
import { documentFile } from '../support/reference.js';
import { companyId, startTestApp, testContext, type TestApp } from '../support/test-app.js';

const root = new URL('../../../', import.meta.url);
const schemaFile = new URL('clients/typescript/src/schema.ts', root);

const employee = (id: string, changes: Partial<Employee> = {}): Employee => ({
  EmployeeID: id,
  Firstname: 'Ada',
  Lastname: 'Example',
  Email: `${id}@example.com`,
  EmploymentStatus: 0,
  ...changes,
});
const list = ['a', 'b', 'c'].map((id) => employee(id));

const optionsFor = (app: TestApp, options: Partial<SyncOptions> = {}): SyncOptions => ({
  baseUrl: app.url,
  token: app.token(),
  companyId,
  list,
  apply: true,
  wait: () => Promise.resolve(),
  ...options,
});

async function idsIn(app: TestApp): Promise<string[]> {
  await app.projected();
  const { data = [] } = await rollcallClient(optionsFor(app)).GET('/v1.0/Company/{companyId}/Employee', {
    params: { path: { companyId } },
  });
  return data.map(({ EmployeeID }) => EmployeeID);
}

t.test('the types are those of the document', async (t) => {
  const generated = astToString(await openapiTS(documentFile));
  if (process.env['UPDATE_REFERENCE'] === '1') await writeFile(schemaFile, generated);
  t.ok(generated === (await readFile(schemaFile, 'utf8')), 'else: npm run generate');
});

t.test('a synchronisation', async (t) => {
  const app = await startTestApp(t);

  t.test('shows what would happen, asks, and does it', async (t) => {
    const shown: number[][] = [];
    const preview: SyncOptions['preview'] = ({ Inserted, Updated, Removed }) => {
      shown.push([Inserted, Updated, Removed]);
    };
    const apply: SyncOptions['apply'] = ({ Removed }) => Removed === 0;
    const first = await syncEmployees(optionsFor(app, { list: () => Promise.resolve(list), preview, apply }));
    t.match(first, { kind: 'done', Inserted: 3, Updated: 0, Removed: 0 });
    const refusedByCaller = await syncEmployees(optionsFor(app, { list: list.slice(1), preview, apply }));
    t.same(refusedByCaller, { kind: 'not-applied' });
    t.same(shown, [
      [3, 0, 0],
      [0, 0, 1],
    ]);
    t.same(await idsIn(app), ['a', 'b', 'c']);
  });

  t.test('says what is wrong with the list, and asks nobody', async (t) => {
    const apply = (): never => t.fail('was asked') as never;
    const result = await syncEmployees(
      optionsFor(app, { list: [employee('x', { Email: 'nowhere' })], apply }),
    );
    t.match(result, {
      kind: 'refused',
      ApiOperationId: String,
      errors: exactly(["[0] EmployeeID 'x': Email must be a valid e-mail address of at most 254 characters"]),
    });
  });

  t.test('does nothing where others have changed the set since the rehearsal', async (t) => {
    const others = async (): Promise<void> => {
      const result = await syncEmployees(optionsFor(app, { list: [...list, employee('d')] }));
      t.equal(result.kind, 'done');
      await app.projected();
    };
    const result = await syncEmployees(optionsFor(app, { preview: others }));
    t.same(result, { kind: 'changed-meanwhile', ApiOperationId: null });
    t.same(await idsIn(app), ['a', 'b', 'c', 'd']);
  });

  t.test('calls again where the answer was lost, and nothing is done twice', async (t) => {
    let lost = 0;
    const lossy = async (request: Request): Promise<Response> => {
      const answer = await fetch(request);
      if (request.headers.has('idempotency-key') && lost++ === 0) throw new TypeError('fetch failed');
      return answer;
    };
    const result = await syncEmployees(optionsFor(app, { list: list.slice(0, 2), fetch: lossy }));
    t.match(result, { kind: 'done', Removed: 2 });
    t.equal(lost, 2);
    const calls = (await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`)).json as {
      Removed: number;
    }[];
    t.same(
      calls.map(({ Removed }) => Removed).filter((removed) => removed === 2),
      [2],
    );
  });

  t.test('waits as long as the service asks, and not for ever', async (t) => {
    const at = { date: 'Sat, 21 Nov 2026 09:00:00 GMT' };
    for (const [seconds, waits] of [
      ['7', [7_000, 7_000, 8_000, 16_000]],
      ['1', [2_000, 4_000, 8_000, 16_000]],
      ['7200', [60_000, 60_000, 60_000, 60_000]],
      ['soon', [2_000, 4_000, 8_000, 16_000]],
      ['Sat, 21 Nov 2026 08:00:00 GMT', [2_000, 4_000, 8_000, 16_000]],
      ['Sat, 21 Nov 2026 09:00:09 GMT', [9_000, 9_000, 9_000, 16_000]],
    ] as const) {
      const waited: number[] = [];
      const busy = (): Promise<Response> =>
        Promise.resolve(
          new Response('{"Message":"Later."}', {
            status: 503,
            headers: {
              ...at,
              'content-type': 'application/json',
              'retry-after': seconds,
              'x-request-id': 'r-1',
            },
          }),
        );
      const wait = (milliseconds: number): Promise<void> => Promise.resolve(void waited.push(milliseconds));
      await t.rejects(syncEmployees(optionsFor(app, { fetch: busy, wait })), {
        name: 'RollcallError',
        status: 503,
        requestId: 'r-1',
        message: 'The service answered 503. Later.',
      });
      t.same(waited, waits, seconds);
    }
  });

  t.test('says of an outage without an answer that the service cannot be reached', async (t) => {
    const cause = new TypeError('fetch failed');
    const rejected = syncEmployees(optionsFor(app, { fetch: () => Promise.reject(cause) }));
    const message = 'The service cannot be reached.';
    await t.rejects(rejected, { name: 'RollcallError', status: null, requestId: null, message, cause });
  });

  t.test('ends at a token that is refused', async (t) => {
    await t.rejects(syncEmployees(optionsFor(app, { token: 'no token' })), RollcallError);
  });
});

t.test('a queued synchronisation is followed to its end', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { queueThreshold: 2, batchLimit: null } });
  const seen: number[] = [];
  const follow: SyncOptions['follow'] = ({ HttpStatusCode }) => void seen.push(HttpStatusCode);
  const wait = (): Promise<void> => app.projected();
  t.match(await syncEmployees(optionsFor(app, { follow, wait })), { kind: 'done', Inserted: 3 });
  t.equal(seen.at(-1), 200);
  t.same(await idsIn(app), ['a', 'b', 'c']);
});

t.test('an import that others end says why', async (t) => {
  const settings = { queueThreshold: null, batchLimit: 25, batchLimitFrom: 3, overLimit: 'hold' } as const;
  const app = await startTestApp(t, { settings });
  t.match(await syncEmployees(optionsFor(app)), { kind: 'done', Inserted: 3 });
  const { log, snapshots } = app.adapters;
  const digester = new Digester(app.store.digestKey);
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  const deps: ManageImportsDeps = { log, clock: systemClock, digester, states, sleep: noSleep };
  const context = { ...testContext(companyId), reason: 'this would remove two' };
  const endings = {
    Rejected: (operationId: string) =>
      decideHeldImport(deps, context, { companyId, operationId, decision: 'reject' }),
    Cancelled: (operationId: string) => cancelQueuedImport(deps, context, { companyId, operationId }),
  };
  for (const [ending, end] of Object.entries(endings)) {
    const held: string[] = [];
    let id = '';
    const follow: SyncOptions['follow'] = ({ ApiOperationId, HttpStatusReason }) => {
      if (HttpStatusReason.startsWith('Held: ')) held.push((id = ApiOperationId));
    };
    const wait = async (): Promise<void> => {
      for (const operationId of held.splice(0)) await end(operationId);
      await app.projected();
    };
    const result = await syncEmployees(optionsFor(app, { list: list.slice(2), follow, wait }));
    t.same(result, { kind: 'refused', ApiOperationId: id, errors: [`${ending}: this would remove two`] });
  }
});

t.test('who does not want to follow for ever ends it', async (t) => {
  const app = await startTestApp(t, { settings: { queueThreshold: 2, batchLimit: null } });
  const { signal, ...stop } = stopper();
  const options = optionsFor(app, { signal, follow: () => stop.now() });
  const stopped = { message: 'the night is over', operationId: /^[0-9a-f-]{36}$/ };
  await t.rejects(syncEmployees(options), stopped);
  const { signal: other, ...pause } = stopper();
  const { baseUrl, token } = options;
  const follow = () => void setImmediate(pause.now);
  const paused = { baseUrl, token, companyId, list, apply: true, signal: other, follow };
  await t.rejects(syncEmployees(paused), { message: 'the night is over' }, 'a pause ends too');
});

function stopper() {
  const controller = new AbortController();
  const now = (): void => controller.abort(new Error('the night is over'));
  return { signal: controller.signal, now };
}

t.test('the example is a whole program', async (t) => {
  const app = await startTestApp(t);
  const file = `${t.testdir({ 'employees.json': JSON.stringify(list) })}/employees.json`;
  const example = fileURLToPath(new URL('clients/typescript/dist/example.js', root));
  const env = {
    ...process.env,
    ROLLCALL_URL: app.url,
    ROLLCALL_TOKEN: app.token(),
    COMPANY_ID: String(companyId),
  };
  const { code, out } = await new Program([example, file], { env }).ended;
  t.equal(code, 0);
  t.match(out, /^\+3 ~0 -0\n\{"kind":"done",.*"Inserted":3/);
});
