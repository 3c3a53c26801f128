import { projections } from '@rollcall/projector';
import { openAdapters, type Adapters } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { operationId, payload } from '../projector/import-calls.support.js';
import { failed, queued } from '../projector/import-events.support.js';
import { append, projectAll } from '../projector/projector.support.js';
import { objectOf, rollcallOn, rollcallWithin } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';
import { exactly } from '../support/exactly.js';

const open = (dataDir: string): Promise<Adapters> => openAdapters(embeddedAdapters(dataDir));

/** Two companies, a user, a token, and read models of all that. */
async function installation(t: Test): Promise<string> {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7 --name Seven-Company');
  await rollcall([
    'company',
    'configure',
    '--company',
    '7',
    '--integration',
    'on',
    '--reason',
    'the "pilot"\u001b[2J\u009b2J',
  ]);
  await rollcall('user add --company 7 --name HR --role HRIntegration');
  await rollcall('company configure --company 8 --name Eight');
  await rollcall('token issue --user 1');
  const adapters = await open(dataDir);
  await projectAll({ ...adapters, projections });
  await adapters.close();
  return dataDir;
}

tap.test('the log of a company', async (t) => {
  const rollcall = rollcallWithin(await installation(t));
  const { out, err, code } = await rollcall('audit log --company 7');
  t.same({ err, code }, { err: '', code: 0 });
  const lines = out.trimEnd().split('\n');
  const kinds = lines.map((line) => line.split(' ').slice(1, 3).join(' '));
  t.same(kinds, [
    'CompanyConfigured company-7@0',
    'CompanyConfigured company-7@1',
    'ApiUserCreated api-users@0',
    'ApiTokenIssued apitokens-1@0',
  ]);
  const call = /by "cli:.+@.+" call [0-9a-f-]{36} of \d{4}-\d\d-\d\dT[\d:.]+Z/;
  for (const line of lines) t.match(line, call, 'who, when and which call');
  t.match(
    lines[1],
    / because "the \\"pilot\\"\\u001b\[2J\\u\{9b\}2J"$/,
    'what somebody typed cannot move the cursor',
  );

  const object = objectOf(await rollcall('audit log --company 7 --json'));
  t.match(object, {
    companyId: 7,
    events: exactly([
      { type: 'CompanyConfigured', stream: 'company-7', revision: 0, userId: null, causationId: null },
      { reason: 'the "pilot"\u001b[2J\u009b2J' },
      { type: 'ApiUserCreated', recordedAt: String, receivedAt: String, operationId: String },
      { type: 'ApiTokenIssued' },
    ]),
  });
});

tap.test('parts of the log', async (t) => {
  const rollcall = rollcallWithin(await installation(t));
  const types = async (words: string): Promise<unknown> => {
    const { events } = objectOf(await rollcall(`audit log --company 7 --json ${words}`));
    return Array.isArray(events) ? events.map(({ type }: { type: string }) => type) : events;
  };
  t.same(await types('--type ApiUserCreated,ApiTokenIssued'), ['ApiUserCreated', 'ApiTokenIssued']);
  t.same(await types('--type SurveyCreated'), []);
  const today = new Date().toISOString().slice(0, 10);
  t.equal(
    (await rollcall(`audit log --company 7 --from 2020-01-01 --to ${today}`)).out.split('\n').length,
    5,
  );
  t.same(await types('--from 2999-01-01'), []);
  t.same(await types('--to 2020-01-01T00:00:00Z'), []);
  const { events } = objectOf(await rollcall('audit log --company 7 --json'));
  const [, second] = events as { recordedAt: string }[];
  const moment = second?.recordedAt ?? '';
  t.same(await types(`--from ${moment} --to ${moment}`), ['CompanyConfigured'], 'both ends are inclusive');
  t.match(await rollcall('audit log --company 9'), { code: 1, out: '', err: /^Company 9 is not configured/ });
});

tap.test('without a company the log shows what each configuration changes', async (t) => {
  const rollcall = rollcallWithin(await installation(t));
  t.match(objectOf(await rollcall('audit log --type CompanyConfigured --json')), {
    events: exactly([
      { changes: { 0: { setting: 'name', before: null, after: 'Seven-Company' } } },
      { changes: [{ setting: 'integration', before: 'off', after: 'on' }] },
      { changes: { 0: { setting: 'name', before: null, after: 'Eight' } } },
    ]),
  });
});

tap.test('filters, counts, the tree and other forms of the log', async (t) => {
  const rollcall = rollcallWithin(await installation(t));
  const { events } = objectOf(await rollcall('audit log --json')) as { events: Record<string, unknown>[] };
  t.ok(events.length > 4, 'without --company all events of the installation');
  const one = events.find(({ type }) => type === 'ApiTokenIssued') ?? {};
  const same = objectOf(await rollcall(`audit log --json --operation ${String(one['operationId'])}`));
  t.strictSame(same, { events: [one] });
  t.match(await rollcall('audit log --user 9'), { code: 0, out: '' });
  const counts = (await rollcall('audit log --company 7 --counts')).out;
  t.match(counts, /^Type +Count +First +Last\nCompanyConfigured +2 .*\nApiUserCreated +1 /);
  t.match((await rollcall('audit log --company 7 --tree')).out, /^\d{4}-.* CompanyConfigured company-7@0 /);
  const csv = (await rollcall('audit log --company 7 --csv')).out;
  t.match(csv, /^Recorded,Type,Event,.*\r\n.*,company-7@0,.*\r\n.*,company-7@1,.*"the ""pilot""/);
  const explained = objectOf(
    await rollcall(`audit explain --operation ${String(one['operationId'])} --json`),
  );
  t.match(explained, { companyId: 7, events: exactly([{ role: 'did', facts: { userId: 1 } }]) });
  t.strictSame(explained['invitations'], {});
  const text = await rollcall(`audit explain --operation ${String(one['operationId'])}`);
  t.match(text.out, /^Role +Type .*\ndid +ApiTokenIssued .* userId: 1; jti: /);
  for (const [words, code, err] of [
    ['log --tree --counts', 2, /not both/],
    ['log --employee A', 2, /--employee needs --company/],
    ['log --company 7 --employee A', 1, /never had an employee with this EmployeeID/],
    ['history --company 7 --employee A', 1, /never had an employee with this EmployeeID/],
    ['explain --operation 019aa2f0-5c00-7000-8000-000000000001', 1, /has no operation/],
  ] as const)
    t.match(await rollcall(`audit ${words}`), { code, err, out: '' }, words);
});

tap.test('the state of a company, and what differs between two moments', async (t) => {
  const rollcall = rollcallWithin(await installation(t));
  const state = async (words: string): Promise<Record<string, unknown>> =>
    objectOf(await rollcall(`audit state --company 7 --json ${words}`));
  const rowsOf = (object: Record<string, unknown>): readonly Record<string, unknown>[] =>
    object['rows'] as readonly Record<string, unknown>[];
  const setting = { part: 'settings', id: 'integrationEnabled', stream: 'company-7', username: /^cli:/ };
  t.match(
    rowsOf(await state('--revision 0')).find(({ id }) => id === 'integrationEnabled'),
    {
      ...setting,
      revision: 0,
      values: { value: false },
    },
  );
  const now = await state('');
  t.match(now, { companyId: 7, revision: 1, recordedAt: String });
  t.match(
    rowsOf(now).find(({ id }) => id === 'integrationEnabled'),
    { revision: 1, values: { value: true } },
  );
  t.same((await state('--part employees,surveys'))['rows'], []);
  const { out } = await rollcall('audit state --company 7');
  t.match(out, /^Part +Id +Since +Event +Call +By +Values\nsettings {2}name /);
  const csv = (await rollcall('audit state --company 7 --csv')).out.split('\r\n');
  t.equal(csv[0], 'Part,Id,Since,Event,Call,By,Values');
  t.match(csv[1], /^settings,name,.*,company-7@0,.*,"\{""value"":""Seven-Company""\}"$/);

  const moment = String((await state('--revision 0'))['recordedAt']);
  const diff = objectOf(await rollcall('audit diff --company 7 --from 0 --to 1 --json'));
  t.match(diff, { from: { revision: 0 }, to: { revision: 1 } });
  const changed = { ...setting, change: 'changed', revision: 1 };
  t.match(rowsOf(diff), exactly([{ ...changed, fields: [{ field: 'value', before: false, after: true }] }]));
  t.match(
    (await rollcall('audit diff --company 7 --from 0')).out,
    /\nsettings {2}integrationEnabled {2}changed .* value: false -> true\n$/,
  );
  t.match((await rollcall('audit diff --company 7 --from 1')).out, /^Nothing\.\n$/);
  for (const [words, code, err] of [
    ['state --company 7 --at 2020-01-01', 1, /^Company 7 has no state at 2020-01-01T23:59:59.999Z/],
    ['state --company 7 --revision 2', 1, /^Company 7 has no state at revision 2/],
    ['state --company 7 --revision 0 --at 2020-01-01', 2, /not both/],
    ['state --company 7 --json --csv', 2, /not both/],
    ['state --company 7 --part people', 2, /It must be some of settings,/],
    ['diff --company 7 --from 1 --to 0', 2, /--from must not be after --to/],
    ['diff --company 7 --from 2999-01-02 --to 2999-01-01', 2, /--from must not be after --to/],
    [`diff --company 7 --from 1 --to ${moment}`, 1, /^--from is after --to/],
    ['diff --company 7 --from 2999-01-01 --to 1', 1, /^--from is after --to/],
    ['diff --company 9 --from 1', 1, /Company 9 is not configured/],
  ] as const)
    t.match(await rollcall(`audit ${words}`), { code, err, out: '' }, words);
});

tap.test('a whole installation', async (t) => {
  const dataDir = await installation(t);
  const rollcall = rollcallOn(dataDir);
  const whole = await rollcall('audit verify');
  t.match(whole, {
    code: 0,
    err: '',
    out: /^The log is whole: 7 events and 0 chunks of large data in 5 streams\.\nThe log has no anchors of its own\. Whether its end was cut off cannot be shown without an anchor/,
  });
  t.match(whole.out, /\nThe sets of 2 companies are what their digests say\.\n/);
  // Two companies, and how far each of the five streams is projected.
  t.match(whole.out, /\nThe read models are what the log says: 7 documents\.\n$/);

  await rollcall('company configure --company 9');
  t.match(objectOf(await rollcall('audit verify --json')), {
    ok: true,
    readModels: /as far as they are projected/,
    counts: { events: Number, streams: Number, pieces: 0, companies: Number, documents: Number },
  });

  const adapters = await open(dataDir);
  t.teardown(() => adapters.close());
  await projectAll({ ...adapters, projections });
  t.match(await rollcall('audit verify'), { code: 0, out: /: 9 documents/ }, 'beside an open one');
});

tap.test('a read model that is another one: exit code 1 and the first difference', async (t) => {
  const dataDir = await installation(t);
  const adapters = await open(dataDir);
  const readModels = await adapters.readModels.liveGeneration();
  const json = await readModels.get('companies', [8]);
  const changed = Buffer.from(
    Buffer.from(json ?? [])
      .toString()
      .replace('Eight', 'Night'),
  );
  await readModels.write([
    [{ op: 'put', collection: 'companies', key: [8], revision: 1_000, value: changed }],
  ]);
  await adapters.close();
  const rollcall = rollcallOn(dataDir);
  const ran = await rollcall('audit verify');
  t.match(ran, { code: 1, out: /^The log is whole/, err: /companies \[8\] is another one in settings/ });
  t.match(objectOf(await rollcall('audit verify --json')), { ok: false, readModels: /companies \[8\]/ });
});

tap.test('a log in which one letter was changed: exit code 1, stream and revision', async (t) => {
  const dataDir = await installation(t);
  const file = join(dataDir, 'event-log', 'data.mdb');
  const bytes = await readFile(file);
  for (let at = bytes.indexOf('Seven-Company'); at >= 0; at = bytes.indexOf('Seven-Company', at + 1)) {
    bytes.write('Z', at);
  }
  await writeFile(file, bytes);
  const rollcall = rollcallOn(dataDir);
  t.match(await rollcall('audit verify'), {
    code: 1,
    out: '',
    err: /The log is broken at company-7@0: .*chain/,
  });
  t.match(objectOf(await rollcall('audit verify --json')), {
    ok: false,
    log: /company-7@0/,
    readModels: null,
    counts: { events: null, companies: null },
  });
});

tap.test('a queued import whose payload is gone: exit code 1, stream and revision', async (t) => {
  const dataDir = await installation(t);
  const adapters = await open(dataDir);
  const on = { log: adapters.log, clock: systemClock };
  const reference = await payload(on, operationId);
  await append(on, 'company-7', queued(operationId, { payload: reference }), { operationId });
  const rollcall = rollcallWithin(dataDir);
  t.match(await rollcall('audit verify'), {
    code: 0,
    out: /: 8 events and 2 chunks of large data in 6 streams\./,
  });
  await adapters.log.deleteStream(reference.stream);
  t.match(await rollcall('audit verify'), {
    code: 1,
    out: '',
    err: new RegExp(`^The log is broken at company-7@2: .*${reference.stream}`),
  });
  await append(on, 'company-7', failed(operationId), { operationId });
  await adapters.close();
  t.match(await rollcall('audit verify'), { code: 0, err: '' }, 'its import has ended');
});

tap.test('a log that is away: not checked, exit code 3, and nothing is called broken', async (t) => {
  let now = systemClock.now();
  const begun = now;
  const away = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' };
  const rollcall = rollcallWithin(t.testdir(), away, {
    clock: { now: () => now },
    sleep: async (ms) => void (now += ms),
  });
  t.match(await rollcall('audit verify'), {
    code: 3,
    out: '',
    err: /^EventStoreDB is not available: .*ECONNREFUSED.*\. Waiting for up to 10 s\.\n.*could not be checked/,
  });
  t.equal(now - begun, 10_000, 'it was waited for');
  const ran = await rollcall('audit verify --json');
  t.equal(ran.code, 3);
  t.match(objectOf(ran), { ok: null, notChecked: /could not be checked/, log: null });
});
