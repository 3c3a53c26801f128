import { RollcallError, syncEmployees, type Employee, type SyncOptions } from '@rollcall/client';
import t from 'tap';

const list: Employee[] = [
  { EmployeeID: 'a', Firstname: 'Ada', Lastname: 'Example', Email: 'a@example.com', EmploymentStatus: 0 },
];
const operationId = '01a202a0-494f-7d11-b201-3f0a4c1d9d21';
const counts = { Inserted: 1, Updated: 0, Removed: 0 };
const rehearsal = { DryRun: true, ...counts, PreviewId: 'p' };
const queued = { ApiOperationId: operationId, WasQueued: true, WasDisabled: false, ...counts };
const row = {
  ApiOperationId: operationId,
  CompletedOn: '2026-11-21T09:00:00Z',
  ValidationErrors: [],
  ...counts,
};

type Answer = (request: Request) => Promise<Response>;

const json =
  (body: unknown, status = 200): Answer =>
  () =>
    Promise.resolve(
      new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } }),
    );

/** A service that rehearses; `put` answers the import, and `get` a question for its row. */
function service({ put = json(queued, 202), get = json([]) }: { put?: Answer; get?: Answer }): Answer {
  return (request) => {
    if (request.method === 'GET') return get(request);
    return request.url.includes('dryRun') ? json(rehearsal)(request) : put(request);
  };
}

const optionsFor = (fetch: Answer, options: Partial<SyncOptions> = {}): SyncOptions => ({
  baseUrl: 'http://rollcall.example',
  token: 'token',
  companyId: 7,
  list,
  apply: true,
  wait: () => Promise.resolve(),
  fetch,
  ...options,
});

t.test('an import that is queued is named in every result', async (t) => {
  const named = { ApiOperationId: operationId };
  for (const [HttpStatusCode, expected] of [
    [200, { kind: 'done', ...named, ...counts }],
    [412, { kind: 'changed-meanwhile', ...named }],
    [400, { kind: 'refused', ...named, errors: ['Rejected: no'] }],
  ] as const) {
    const get = json([{ ...row, HttpStatusCode, Result: 'Rejected: no' }]);
    t.same(await syncEmployees(optionsFor(service({ get }))), expected);
  }
  const done = { ...queued, WasQueued: false };
  t.same(await syncEmployees(optionsFor(service({ put: json(done) }))), {
    kind: 'done',
    ...named,
    ...counts,
  });
});

t.test('an import that is queued is named in every error', async (t) => {
  const lost = new TypeError('fetch failed');
  for (const [get, expected] of [
    [json({ Message: 'No.' }, 401), { status: 401, message: 'The service answered 401. No.' }],
    [() => Promise.reject(lost), { status: null, cause: lost }],
    [json([]), { status: 200, message: 'The service answered 200. It does not show the import.' }],
  ] as const)
    await t.rejects(syncEmployees(optionsFor(service({ get }))), {
      name: 'RollcallError',
      operationId,
      ...expected,
    });
  const frozen: Error = Object.freeze(new Error('frozen'));
  const follow = (): never => {
    throw frozen;
  };
  const get = json([row]);
  t.equal(
    await syncEmployees(optionsFor(service({ get }), { follow })).catch((thrown: unknown) => thrown),
    frozen,
  );
  const put = json({ Message: 'Oh.', ApiOperationId: operationId }, 500);
  await t.rejects(syncEmployees(optionsFor(service({ put }))), {
    name: 'RollcallError',
    status: 500,
    operationId,
  });
  const early = json({ Message: 'Oh.' }, 401);
  await t.rejects(syncEmployees(optionsFor(service({ put: early }))), {
    name: 'RollcallError',
    status: 401,
    operationId: null,
  });
});

t.test('a row that does not come is awaited for a minute', async (t) => {
  const waited: number[] = [];
  const wait = (milliseconds: number): Promise<void> => Promise.resolve(void waited.push(milliseconds));
  await t.rejects(syncEmployees(optionsFor(service({}), { wait })), RollcallError);
  t.same(
    waited,
    Array.from({ length: 59 }, () => 1_000),
  );
});

t.test('a try without an answer ends', async (t) => {
  const times: number[] = [];
  const timeout = (milliseconds: number): AbortSignal => {
    times.push(milliseconds);
    return AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  };
  const silent: Answer = ({ signal }) =>
    signal.aborted ? Promise.reject(signal.reason as Error) : new Promise(() => undefined);
  const rejected = { name: 'RollcallError', status: null, message: 'The service did not answer in time.' };
  await t.rejects(syncEmployees(optionsFor(silent, { timeout })), rejected);
  t.same(times, [61_000, 61_000, 61_000, 61_000, 61_000]);
  const large = list.map((one) => ({ ...one, Firstname: 'ż'.repeat(100_000) }));
  await t.rejects(syncEmployees(optionsFor(silent, { timeout, list: large })), rejected);
  t.equal(times.at(-1), 64_000, 'a large list has longer');
  const stop = AbortSignal.abort(new Error('the night is over'));
  await t.rejects(syncEmployees(optionsFor(silent, { signal: stop })), { message: 'the night is over' });
});

t.test('what cannot be sent is no outage', async (t) => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const never = (): never => t.fail('was sent') as never;
  for (const wrong of [{ baseUrl: '' }, { token: 'two\nlines' }, { list: [circular as unknown as Employee] }])
    await t.rejects(syncEmployees(optionsFor(never, { ...wrong, wait: never })), TypeError);
});

t.test('an answer that cannot be read is not silence', async (t) => {
  const page: Answer = () => Promise.resolve(new Response('<html>', { headers: { 'x-request-id': 'r-1' } }));
  await t.rejects(syncEmployees(optionsFor(page)), {
    name: 'RollcallError',
    status: 200,
    requestId: 'r-1',
    message: 'The service answered 200, but its answer is not whole JSON.',
  });
});
