import { join } from 'node:path';
import { createHash } from 'node:crypto';
import {
  companyFold,
  CompanyStateCache,
  configureCompany,
  EventLogUnavailable,
  foldStream,
  ImportEngine,
  newId,
  systemClock,
  type EventLog,
  type ImportOutcome,
  type ImportRequest,
} from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import t, { type Test } from 'tap';
import { openEmbeddedEventLog } from '@rollcall/adapters';
import { SmallCalls } from './small-calls.js';

const companyId = 7;
const context = (company: number) => ({
  companyId: company,
  operationId: newId(),
  userId: 1,
  username: 'HR',
  causationId: null,
  receivedAt: new Date(0).toISOString(),
});

const employee = (letter: string, n: number) => ({
  EmployeeID: `${letter}-${n}`,
  Firstname: 'Ada',
  Lastname: 'Berg',
  Email: `${letter}${n}@example.com`,
  EmploymentStatus: 0,
});

function request(count: number, letter = 'a', company = companyId): ImportRequest {
  const elements = Array.from({ length: count }, (_, n) => employee(letter, n));
  const body = new TextEncoder().encode(JSON.stringify(elements));
  return {
    kind: 'employees',
    companyId: company,
    context: context(company),
    method: 'PUT',
    body,
    bodySha256: createHash('sha256').update(body).digest('hex'),
    dryRun: false,
    prefersAsync: false,
    ifMatch: null,
  };
}

const digester = (): Digester => new Digester(new Uint8Array(32));

const options = (log: EventLog, folder: string) => ({
  log,
  clock: systemClock,
  digester: digester(),
  processId: newId(),
  temporaryFolder: folder,
  rules: 'of the test',
  findRows: (_kind: unknown, _company: number, numbers: readonly number[]) =>
    Promise.resolve(numbers.map((number) => employee('a', number - 1))),
});

/** A log with configured companies, calls that are decided here, and an engine in the place of the thread. */
async function rig(t: Test, appends: (log: EventLog) => EventLog['append'] = (log) => log.append.bind(log)) {
  const folder = t.testdir();
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log'), sync: false });
  t.teardown(() => log.close());
  for (const company of [companyId, 8]) {
    const changes = { name: 'Company', integrationEnabled: true, queueThreshold: null };
    await configureCompany({ log, clock: systemClock }, context(company), { companyId: company, changes });
  }
  let [appended, reads] = [0, 0];
  const append: EventLog['append'] = (...given) => {
    appended += 1;
    return appends(log)(...given);
  };
  const readStream: EventLog['readStream'] = (...given) => {
    reads += 1;
    return log.readStream(...given);
  };
  const snapshots = { newest: () => Promise.resolve(undefined) };
  const states = new CompanyStateCache({ snapshots, digester: digester(), cacheBytes: 2 ** 26 });
  const thread = new ImportEngine({ ...options(log, folder), states });
  const failures: string[] = [];
  const calls = new SmallCalls({
    ...options({ ...log, append, readStream }, folder),
    sleep: () => Promise.resolve(),
    waitMs: 60_000,
    onFailure: ({ name }) => failures.push(name),
  });
  let handed = 0;
  const accept = (sent: ImportRequest): Promise<ImportOutcome> =>
    calls.accept(sent, async () => {
      handed += 1;
      return { outcome: await thread.accept(sent), state: thread.stateToShare(sent.companyId) };
    });
  return {
    accept,
    thread,
    failures,
    handed: () => handed,
    appended: () => appended,
    reads: () => reads,
    log,
  };
}

const countsOf = (outcome: ImportOutcome): unknown => 'counts' in outcome && outcome.counts;

t.test('calls of a company with a short stream are decided here, the first too', async (t) => {
  const { accept, handed } = await rig(t);
  t.same(countsOf(await accept(request(3))), { inserted: 3, updated: 0, removed: 0 });
  t.same(countsOf(await accept(request(2))), { inserted: 0, updated: 0, removed: 1 });
  t.same(countsOf(await accept({ ...request(3, 'b'), dryRun: true })), false);
  t.same(countsOf(await accept(request(3, 'b'))), { inserted: 3, updated: 0, removed: 2 });
  t.equal(handed(), 0);
});

t.test('calls of one company that come together share an append, and each has its own event', async (t) => {
  const { accept, appended, handed, log } = await rig(t);
  const letters = Array.from('abcdefghij');
  const sent = letters.map((letter) => request(1, letter));
  const outcomes = await Promise.all(sent.map((each) => accept(each)));
  t.same(countsOf(outcomes[0] ?? { kind: 'queue-full' }), { inserted: 1, updated: 0, removed: 0 });
  for (const outcome of outcomes.slice(1)) t.same(countsOf(outcome), { inserted: 1, updated: 0, removed: 1 });
  t.equal(handed(), 0);
  t.equal(appended(), 2, 'of the first alone, and of those that waited for it');
  const operations: unknown[] = [];
  for await (const { metadata } of log.readStream(`company-${companyId}`, { from: 1 }))
    operations.push((JSON.parse(Buffer.from(metadata).toString()) as { operationId: string }).operationId);
  t.strictSame(
    operations,
    sent.map(({ context }) => context.operationId),
  );
  t.equal((await foldStream(log, `company-${companyId}`, companyFold(digester()))).state.employees.count, 1);
});

t.test('of calls that come together each is answered as if it came alone', async (t) => {
  const { accept, appended } = await rig(t);
  await accept(request(3));
  const before = appended();
  const keyed = request(4);
  const idempotency = { keyHash: 'f'.repeat(64), bodySha256: keyed.bodySha256 };
  const withKey = { ...keyed, context: { ...keyed.context, idempotency } };
  const again = { ...withKey, context: { ...withKey.context, operationId: newId() } };
  const bad = { ...request(0), body: new TextEncoder().encode('{}') };
  const stale = { ...request(5), ifMatch: [0] };
  const queued = { ...request(1), prefersAsync: true };
  const rehearsed = { ...request(9), dryRun: true };
  const sent = [request(2), withKey, again, bad, stale, rehearsed, request(6), queued];
  const [first, ...outcomes] = await Promise.all(sent.map((each) => accept(each)));
  t.same(first && countsOf(first), { inserted: 0, updated: 0, removed: 1 });
  t.strictSame(
    outcomes.map(({ kind }) => kind),
    ['done', 'done', 'refused', 'precondition-failed', 'dry-run', 'done', 'queued'],
  );
  const replayed = outcomes[1];
  t.match(replayed, { operationId: withKey.context.operationId, replayed: true });
  t.equal(
    appended() - before,
    1 + 1 + 2,
    'those with events, the refusal, and the queued one with its payload',
  );
});

t.test('where others have appended meanwhile, calls that come together are decided again', async (t) => {
  const { accept, thread, log } = await rig(t);
  await accept(request(3));
  await thread.accept(request(1, 'z'));
  const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => accept(request(1, letter))));
  for (const outcome of outcomes) t.same(countsOf(outcome), { inserted: 1, updated: 0, removed: 1 });
  t.equal((await log.readLast(`company-${companyId}`))?.revision, 6);
  t.equal((await foldStream(log, `company-${companyId}`, companyFold(digester()))).state.employees.count, 1);
});

t.test('an append that had no answer is repeated for all', async (t) => {
  let fail = 0;
  const { accept, log } = await rig(t, (log) => async (...given) => {
    const result = await log.append(...given);
    if (fail-- === 1) throw new EventLogUnavailable('lost');
    return result;
  });
  await accept(request(3));
  await accept(request(1, 'z'));
  const first = accept(request(1, 'y'));
  fail = 2;
  const outcomes = await Promise.all([first, ...['a', 'b', 'c'].map((letter) => accept(request(1, letter)))]);
  for (const outcome of outcomes) t.same(countsOf(outcome), { inserted: 1, updated: 0, removed: 1 });
  t.equal((await log.readLast(`company-${companyId}`))?.revision, 6);
});

t.test('a small body against a large set is the work of the thread', async (t) => {
  const { accept, thread, handed, reads } = await rig(t);
  await thread.accept(request(501));
  for (let call = 1; call <= 3; call++) {
    const outcome = await accept({ ...request(3), dryRun: true });
    t.equal(outcome.kind, 'dry-run');
    t.equal(handed(), call);
  }
  t.equal(reads(), 1, 'what is too much is not read again');
  t.same(countsOf(await accept(request(3))), { inserted: 0, updated: 0, removed: 498 });
  await accept(request(3));
  t.equal(handed(), 4, 'the set is small now, and known here');
});

t.test('what others wrote meanwhile is read here only where it is little', async (t) => {
  const { accept, thread, handed } = await rig(t);
  await accept(request(3));
  await thread.accept(request(4));
  await accept(request(5));
  t.equal(handed(), 0, 'one event');
  for (let n = 0; n < 65; n++) await thread.accept(request(1 + (n % 2)));
  t.same(countsOf(await accept(request(3))), { inserted: 2, updated: 0, removed: 0 });
  t.equal(handed(), 1, 'many events');
  await thread.accept(request(501));
  t.same(countsOf(await accept(request(500))), { inserted: 0, updated: 0, removed: 1 });
  t.equal(handed(), 2, 'a large event');
});

t.test(
  'an append that had no answer is no reason to decide again, however much came behind it',
  async (t) => {
    let fail = 0;
    const { accept, thread, handed, log } = await rig(t, (log) => async (...given) => {
      if (fail-- !== 1) return log.append(...given);
      await log.append(...given);
      await thread.accept(request(501));
      throw new EventLogUnavailable('lost');
    });
    await accept(request(3));
    fail = 1;
    t.same(countsOf(await accept(request(4))), { inserted: 1, updated: 0, removed: 0 });
    t.equal(handed(), 0);
    const last = await log.readLast(`company-${companyId}`);
    t.equal(last?.revision, 3, 'configured, the first, the one without an answer, and the other');
  },
);

t.test('an outage is told', async (t) => {
  let isAway = false;
  const { accept, failures } = await rig(
    t,
    (log) =>
      (...given) =>
        isAway ? Promise.reject(new EventLogUnavailable('away')) : log.append(...given),
  );
  await accept(request(3));
  isAway = true;
  await t.rejects(accept(request(4)), EventLogUnavailable);
  t.same(failures, ['EventLogUnavailable']);
  isAway = false;
  t.same(countsOf(await accept(request(4))), { inserted: 1, updated: 0, removed: 0 });
});
