import {
  configureCompany,
  decideHeldImport,
  type HoldOutcome,
  retryQueuedImport,
} from '@rollcall/application';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import {
  append,
  company,
  configure,
  type Company,
  dataOf,
  manage,
  metadataOf,
  names,
  people,
  queue,
  recorded,
  request,
  roles,
  runAll,
  stateOf,
  stream,
} from './imports.support.js';
import { exactly } from '../support/exactly.js';

const guarded = { batchLimit: 25, batchLimitFrom: 4, overLimit: 'hold' } as const;
const four = people(1, 2, 3, 4);

/** Four employees, and a limit of one of them. */
async function withFour(t: Parameters<typeof company>[0]): Promise<Company> {
  const on = await company(t, guarded);
  await on.engine().accept(request('employees', four));
  return on;
}

const decide = (
  on: Company,
  decision: 'approve' | 'reject',
  operationId: string,
  outcome?: string,
): Promise<HoldOutcome> =>
  decideHeldImport(manage(on), callContext({ userId: null, username: 'cli:ann@host', reason: 'asked HR' }), {
    companyId: 7,
    operationId,
    decision,
    outcome,
  });

async function held(on: Company, list: object): Promise<string> {
  const outcome = await on.engine().accept(request('employees', list));
  if (outcome.kind !== 'queued') throw new Error(`${outcome.kind} instead of queued`);
  return outcome.operationId;
}

const countOf = async (on: Company): Promise<number> => (await stateOf(on)).employees.count;
const lastOf = async (on: Company) => (await recorded(on.log, stream)).at(-1);
const haveOwnIds = async (on: Company): Promise<boolean> => {
  const ids = (await recorded(on.log, stream)).map(({ id }) => id);
  return new Set(ids).size === ids.length;
};
const kinds = async (on: Company): Promise<string[]> => (await names(on.log)).slice(2);

t.test('over the limit an import is held, and carried out once it is approved', async (t) => {
  const on = await withFour(t);
  const operation = await held(on, people(1, 2));
  t.same(await kinds(on), ['ImportQueued', 'ImportHeld']);
  t.match(dataOf(await lastOf(on)), { inserted: 0, updated: 0, removed: 2, present: 4, limit: 25 });
  t.strictSame(await runAll(on.engine()), [], 'it is not run');
  t.equal(await countOf(on), 4);
  t.match(await decide(on, 'approve', operation), { kind: 'decided' });
  t.match(metadataOf(await lastOf(on)), { username: 'cli:ann@host', reason: 'asked HR' });
  t.match(await decide(on, 'approve', operation), { rejection: { reason: 'not-held' } }, 'once');
  t.match(await runAll(on.engine()), exactly([{ operationId: operation, outcome: 'done' }]));
  t.equal(await countOf(on), 2);
  t.ok(await haveOwnIds(on), 'the hold, the approval and the end');
});

t.test('a rejected import changes nothing, frees its key, and can be tried again', async (t) => {
  const on = await withFour(t);
  const call = request('employees', people(1), { key: 'k' });
  const outcome = await on.engine().accept(call);
  const operationId = outcome.kind === 'queued' ? outcome.operationId : '';
  t.match(await decide(on, 'reject', operationId), { kind: 'decided' });
  t.equal((await stateOf(on)).pending.length, 0);
  t.equal(await countOf(on), 4);
  t.match(await decide(on, 'reject', operationId), { rejection: { reason: 'not-held' } });
  const command = { companyId: 7, operationId, force: false };
  t.match(await retryQueuedImport(manage(on), callContext(), command), { kind: 'queued' });
  t.match(await runAll(on.engine()), exactly([{ outcome: 'held' }]), 'and is held anew');
});

t.test('later imports wait behind a held one, managers too', async (t) => {
  const on = await withFour(t);
  const first = await held(on, people(1));
  t.match(await on.engine().accept(request('employees', four)), { kind: 'queued' });
  t.match(await on.engine().accept(request('managers', roles(1))), { kind: 'queued' });
  t.same(await runAll(on.engine()), []);
  await decide(on, 'reject', first);
  t.match(await runAll(on.engine()), exactly([{ outcome: 'done' }, { outcome: 'done' }]));
  t.equal(await countOf(on), 4);
});

t.test('a queued import is held when it runs; a start before does not count against it', async (t) => {
  const on = await withFour(t);
  const operation = await queue(on.engine(), 'employees', people(5, 6, 7));
  t.match(await runAll(on.engine()), exactly([{ outcome: 'held' }]));
  await decide(on, 'approve', operation);
  t.match(await runAll(on.engine({ processId: 'another' })), exactly([{ outcome: 'done' }]));
  const attempts = (await recorded(on.log, `operation-${operation}`)).map(({ type }) => type);
  t.same(attempts, ['ImportStarted', 'ImportInterrupted', 'ImportStarted']);
  t.ok(await haveOwnIds(on));
});

t.test('what was approved is another change now: it is held anew', async (t) => {
  const on = await withFour(t);
  const operationId = await held(on, people(1, 2));
  const shown = { inserted: 0, updated: 0, removed: 2, present: 4, limit: 25, outcome: 'of another set' };
  await append(on, { name: 'ImportHeld', data: { operationId, kind: 'employees', ...shown } });
  await decide(on, 'approve', operationId);
  t.match(await runAll(on.engine()), exactly([{ outcome: 'held' }]));
  t.equal(await countOf(on), 4);
  await decide(on, 'approve', operationId);
  t.match(await runAll(on.engine()), exactly([{ outcome: 'done' }]));
  t.equal(await countOf(on), 2);
});

for (const [when, isApprovedFirst] of [
  ['before the approval', false],
  ['behind it', true],
] as const)
  t.test(`settings that were changed ${when}: it is decided and held anew`, async (t) => {
    const on = await withFour(t);
    const operation = await held(on, people(1, 2, 3, 4, 5, 6));
    if (isApprovedFirst) await decide(on, 'approve', operation);
    await configure(on, { batchLimit: 10, autoInvite: true });
    if (!isApprovedFirst) t.match(await decide(on, 'approve', operation), { isOutdated: true });
    t.match(await runAll(on.engine()), exactly([{ outcome: 'held' }]));
    t.match(dataOf(await lastOf(on)), { inserted: 2, limit: 10 });
    t.equal(await countOf(on), 4);
    t.match(await decide(on, 'approve', operation), { isOutdated: false });
    t.match(await runAll(on.engine()), exactly([{ outcome: 'done' }]));
    t.equal(await countOf(on), 6);
  });

t.test('settings that allow it now: it is carried out once it is approved', async (t) => {
  const on = await withFour(t);
  const operation = await held(on, people(1, 2));
  await configure(on, { batchLimit: null });
  await decide(on, 'approve', operation);
  t.match(await runAll(on.engine()), exactly([{ outcome: 'done' }]));
});

t.test('an approval is for what was shown', async (t) => {
  const on = await withFour(t);
  const operation = await held(on, people(1));
  const rejection = { reason: 'other-outcome' };
  t.match(await decide(on, 'approve', operation, '0-0-1-ff'), { kind: 'refused', rejection });
  const outcome = (await stateOf(on)).pending[0]?.hold?.held.outcome;
  t.match(await decide(on, 'approve', operation, outcome), { kind: 'decided' });
});

t.test('nobody decides for 7 days: it is cancelled', async (t) => {
  const on = await withFour(t);
  const operation = await held(on, people(1));
  const at = (days: number) => ({ clock: { now: () => on.clock.now() + days * 86_400_000 } });
  t.same(await runAll(on.engine(at(6.9))), []);
  t.match(await runAll(on.engine(at(7.1))), exactly([{ operationId: operation, outcome: 'failed' }]));
  const event = await lastOf(on);
  t.equal(event?.type, 'ImportCancelled');
  t.match(metadataOf(event), { username: 'system', reason: 'nobody decided within 7 days' });
  t.equal((await stateOf(on)).pending.length, 0);
});

t.test('what is held anew while a worker is about to cancel it is not cancelled', async (t) => {
  const on = await withFour(t);
  const operationId = await held(on, people(1));
  const again = { inserted: 0, updated: 0, removed: 3, present: 4, limit: 25, outcome: 'of another set' };
  on.log.script = [
    async () => {
      await decide(on, 'approve', operationId);
      await append(on, { name: 'ImportHeld', data: { operationId, kind: 'employees', ...again } });
    },
  ];
  const late = { clock: { now: () => on.clock.now() + 8 * 86_400_000 } };
  t.match(await on.engine(late).runOldest(7), { outcome: 'elsewhere' });
  t.equal((await lastOf(on))?.type, 'ImportHeld');
  t.equal((await stateOf(on)).pending.length, 1);
});

t.test('a limit that was raised for a time goes back by itself', async (t) => {
  const on = await company(t, { ...guarded, overLimit: 'refuse' });
  await on.engine().accept(request('employees', four));
  const until = new Date(on.clock.now() + 3_600_000).toISOString();
  const raised = { companyId: 7, changes: { batchLimit: 100 }, batchLimitUntil: until };
  await configureCompany(on, callContext(), raised);
  const at = (ms: number) => ({ context: { receivedAt: new Date(on.clock.now() + ms).toISOString() } });
  const later = await on.engine().accept(request('employees', people(1), at(3_600_001)));
  t.match(later, { kind: 'refused', errors: exactly([/of 4 employees present.*at most 25 %/]) });
  t.match(await on.engine().accept(request('employees', people(1), at(3_599_000))), { kind: 'done' });
});

t.test('what is approved while a worker is about to cancel it is carried out', async (t) => {
  const on = await withFour(t);
  const operationId = await held(on, people(1));
  on.log.script = [() => decide(on, 'approve', operationId)];
  const late = { clock: { now: () => on.clock.now() + 8 * 86_400_000 } };
  t.match(await on.engine(late).runOldest(7), { outcome: 'elsewhere' });
  t.match(await runAll(on.engine(late)), exactly([{ operationId, outcome: 'done' }]));
  t.equal(await countOf(on), 1);
});
