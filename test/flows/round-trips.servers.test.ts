import { isDeepStrictEqual } from 'node:util';
import tap, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { startChildServer } from '../servers/child-server.js';
import { GrpcProxy, type GrpcCall } from '../servers/grpc-proxy.js';
import { standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

const COMPANIES = 12;
let proxy: GrpcProxy;
const { dataDir, env, tokens } = await standInInstallation({
  companyIds: Array.from({ length: COMPANIES }, (_, n) => n + 1),
  through: async ({ port }) => {
    proxy = await GrpcProxy.start(port);
    return `esdb://127.0.0.1:${proxy.port}?tls=false`;
  },
});
const service = await startChildServer({ dataDir, env });
tap.teardown(async () => {
  await service.kill();
  proxy.stop();
});

interface Asked {
  readonly companyId?: number;
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(asked: Asked) {
  const {
    companyId = 1,
    method = 'PUT',
    path = `/v1.0/Company/${companyId}/Employee`,
    body,
    headers,
  } = asked;
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens[companyId - 1]}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: JSON.parse(text === '' ? 'null' : text) as unknown };
}

/** The calls to streams since the last look, but for what the service asks by the clock, with ids left out. */
const trips = (): string[] =>
  proxy
    .taken()
    .filter(({ stream }) => !['$all', 'api-users', 'installation'].includes(stream))
    .map(
      ({ method, stream }) =>
        `${method.replace('Batch', '')} ${stream.replace(/(payload|operation|survey|company)-(?!1$).*/, '$1')}`,
    );

async function tripsOf(asked: Asked): Promise<{ readonly status: number; readonly trips: string[] }> {
  trips();
  const { status } = await call(asked);
  return { status, trips: trips() };
}

/** Invited after this test, at whatever hour of the week it runs: invitations cost calls of their own. */
const people = generatedEmployees(20).map((each) => ({ ...each, InvitationDate: '2199-01-01T08:00:00Z' }));
const with3 = (title: string) => people.map((each, n) => (n === 3 ? { ...each, JobTitle: title } : each));

/** What the call costs; what the service reads by its clock in between may add to one try, and not to all of them. */
async function costs(
  t: Test,
  what: string,
  asked: (attempt: number) => Asked,
  expected: { readonly status: number; readonly trips: readonly string[] },
): Promise<void> {
  let seen: unknown;
  for (let attempt = 0; attempt < 6; attempt++) {
    seen = await tripsOf(asked(attempt));
    if (isDeepStrictEqual(seen, expected)) break;
  }
  t.strictSame(seen, expected, what);
}

tap.test('imports that are carried out at once', async (t) => {
  const [read, append] = ['Read company-1', 'Append company-1'];
  await costs(t, 'not in memory', (n) => ({ companyId: COMPANIES - n, body: people }), {
    status: 200,
    trips: ['Read company', 'Append company'],
  });
  await call({ body: people });
  const cases: readonly [string, (attempt: number) => Asked, number, string[]][] = [
    ['changed', (n) => ({ body: with3(`Head ${n}`) }), 200, [append]],
    ['the same people', (n) => ({ body: n % 2 ? people : people.toReversed() }), 200, [append]],
    ['the same bytes', () => ({ body: people }), 200, [append]],
    ['a rehearsal', () => ({ body: people, path: '/v1.0/Company/1/Employee?DryRun=true' }), 200, [read]],
    ['If-Match fails', () => ({ body: people, headers: { 'if-match': '"99"' } }), 412, [read]],
    ['refused', () => ({ body: [{}] }), 400, [read, 'Append operation']],
    ['GET of ApiCalls', () => ({ method: 'GET', path: '/v1.0/Company/1/ApiCalls' }), 200, []],
    ['GET of employees', () => ({ method: 'GET' }), 200, []],
  ];
  for (const [what, asked, status, expected] of cases)
    await costs(t, what, asked, { status, trips: expected });
});

const survey = {
  Name: 'Autumn pulse',
  CompanyId: 1,
  Start: '2026-05-01T02:00:00Z',
  End: '2026-06-01T02:00:00Z',
  State: 2,
  Questions: [
    { Type: 1, Texts: { 1045: 'Welcome to our autumn pulse.' } },
    { Type: 3, Texts: { 1045: 'What would make your week better?' } },
    { Type: 99, Texts: { 1045: 'Thank you for your time.' } },
  ],
};

tap.test('surveys', async (t) => {
  const post = { method: 'POST', path: '/v1.0/survey', body: survey };
  const { status } = await tripsOf(post);
  t.equal(status, 200);
  await costs(t, 'created, with numbers in stock', () => post, { status: 200, trips: ['Append survey'] });
  const { json: id } = await call(post);
  const { json: created } = await call({ method: 'GET', path: `/v1.0/Survey/${String(id)}` });
  const definition: unknown = Reflect.get(Object(created), 'surveyDefinitionId');
  const update = (n: number): Asked => ({
    ...post,
    path: '/v1.0/Survey/Update',
    body: { ...survey, Id: id, SurveyDefinitionId: definition, Name: `Pulse ${n}` },
  });
  await costs(t, 'updated', update, { status: 200, trips: ['Read survey', 'Append survey'] });
});

/** Queues an import and waits until it has run; all the calls of both. */
async function queuedTrips(title: string): Promise<string[]> {
  const accepted = await tripsOf({ body: with3(title), headers: { prefer: 'respond-async' } });
  const all = [...accepted.trips];
  const ends = (): number => all.push(...trips()) && all.filter((one) => one === 'Append company-1').length;
  await until('the import has its end', () => ends() === 2, { everyMs: 20 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return [...all, ...trips()];
}

tap.test('a queued import, and its run', async (t) => {
  const expected = [
    ...['Append payload', 'Append company-1'],
    // The worker: what is pending, how often it was tried, that it begins, the body.
    ...['Read company-1', 'Read operation', 'Append operation', 'Read operation', 'Read payload'],
    // Another worker may have written the same end: it is read back. That none is left is known then.
    ...['Append company-1', 'Read company-1'],
  ];
  let seen: readonly string[] = [];
  for (let attempt = 0; attempt < 6 && !isDeepStrictEqual(seen, expected); attempt++)
    seen = await queuedTrips(`Chief ${attempt}`);
  t.strictSame(seen, expected);
});

tap.test('invitations, more than may leave at once', async (t) => {
  const invited = generatedEmployees(25).map((each) => ({ ...each, InvitationDate: '2020-01-01T08:00:00Z' }));
  trips();
  await call({ companyId: 2, body: invited });
  const all: string[] = [];
  const counted = (what: string): number => all.filter((one) => one.startsWith(what)).length;
  const appended = (): number => all.push(...trips()) && counted('Append invitation');
  await until('all are sent', () => appended() === 2 * invited.length, { everyMs: 50 });
  const read = counted('Read invitation');
  t.ok(
    read < invited.length,
    `${read} reads of invitations: of those held back, and of what is not projected yet`,
  );
  // Once a message and once behind the claims that end together; each mail alone would be 50.
  t.ok(counted('Read company') < 40, `${counted('Read company')} reads of the company`);
});

tap.test('calls of different companies wait for the log at the same time', async (t) => {
  const held = proxy.hold();
  const calls = Array.from({ length: COMPANIES - 1 }, (_, n) => call({ companyId: n + 2, body: people }));
  try {
    await until('all of them have come to their append', () => held.count() === COMPANIES - 1, {
      everyMs: 10,
    });
  } finally {
    held.release();
  }
  t.strictSame(new Set((await Promise.all(calls)).map(({ status }) => status)), new Set([200]));
});

tap.test('projected events cost no calls', async (t) => {
  await call({ body: people });
  proxy.taken();
  const begun = performance.now();
  for (let n = 0; n < 40; n++) t.equal((await call({ body: with3(`Lead ${n}`) })).status, 200);
  const seconds = (performance.now() - begun) / 1_000;
  const taken = proxy.taken();
  const isAppend = ({ method }: GrpcCall): boolean => method === 'BatchAppend';
  t.equal(taken.filter(isAppend).length, 40);
  const byTheClock = taken.length - 40;
  t.ok(byTheClock < 10 + 5 * seconds, `${byTheClock} other calls in ${seconds.toFixed(1)} s`);
});
