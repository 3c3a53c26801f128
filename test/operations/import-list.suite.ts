import assert from 'node:assert/strict';
import {
  findImport,
  type ImportPage,
  type ImportQuery,
  type ImportState,
  importStates,
  listImports,
} from '@rollcall/application';
import { projections } from '@rollcall/projector';
import fc from 'fast-check';
import t from 'tap';
import { cancelled, failed, queued, started } from '../projector/import-events.support.js';
import {
  append,
  configured,
  employeeSet,
  openRig,
  projectAll,
  refused,
} from '../projector/projector.support.js';
import { type Ending, type Rig, scoped } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import type { WritableReadModels } from '../support/writable.js';

const begin = Date.parse('2026-11-24T00:00:00Z');

const call = fc.record({
  company: fc.constantFrom(7, 8),
  ms: fc.nat(6),
  state: fc.constantFrom(...importStates.filter((state) => state !== 'held' && state !== 'rejected')),
  user: fc.constantFrom(3, 4),
});
type Call = typeof call extends fc.Arbitrary<infer C> ? C : never;

interface Known extends Call {
  readonly id: string;
}

/** Version 7: the moment first. */
const idOf = ({ ms }: Call, at: number): string => {
  const time = (begin + ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${((at * 7919) % 4096).toString(16).padStart(12, '0')}`;
};

async function happened(on: Rig, { id, company, ms, state, user }: Known): Promise<void> {
  const receivedAt = new Date(begin + ms).toISOString();
  const who = { userId: user, username: `user ${user}`, companyId: company, receivedAt };
  const change = { operationId: id, ...who };
  const stream = `company-${company}`;
  if (state === 'refused') {
    await append(on, `operation-${id}`, refused(), change);
    return;
  }
  const end = {
    failed: [failed(id)],
    cancelled: [cancelled(id)],
    done: [employeeSet({ total: 0, lastNumber: 0 })],
  }[state as string];
  await append(on, stream, [queued(id), ...(end ?? [])], change);
  if (state === 'running') await append(on, `operation-${id}`, started(id), change);
}

const newest = (one: Known, other: Known): number => (one.id < other.id ? 1 : -1);

function expected(
  known: readonly Known[],
  { companyId, state, user, from, to }: ImportQuery,
): readonly string[] {
  return known
    .filter((one) => companyId === undefined || one.company === companyId)
    .filter(
      (one) => state === undefined || one.state === state || (state === 'waiting' && one.state === 'running'),
    )
    .filter(
      (one) => user === undefined || String(one.user) === user || `user ${one.user}` === user.toLowerCase(),
    )
    .filter(({ ms }) => begin + ms >= (from ?? 0) && begin + ms < (to ?? Infinity))
    .sort(newest)
    .map(({ id }) => id);
}

async function allPages(readModels: WritableReadModels, query: ImportQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  let page: ImportPage | undefined;
  for (let pages = 0; pages < 100; pages += 1) {
    page = await listImports(readModels, { ...query, before: page?.next });
    if (page.imports.length > query.limit) throw new Error('more than the limit');
    ids.push(...page.imports.map(({ operationId }) => operationId));
    if (page.next === undefined) return ids;
  }
  throw new Error('the pages do not end');
}

async function assertFound(readModels: WritableReadModels, { id, company, state }: Known): Promise<void> {
  const found = await findImport(readModels, id);
  assert.deepEqual([found?.state, found?.companyId], [state, company], id);
  assert.equal(await findImport(readModels, id, 15 - company), undefined, 'found in another company');
}

const query: fc.Arbitrary<ImportQuery> = fc.record({
  companyId: fc.constantFrom(undefined, 7, 8),
  state: fc.constantFrom<ImportState | undefined>(undefined, ...importStates),
  user: fc.constantFrom(undefined, '3', 'USER 4', 'nobody'),
  from: fc.option(
    fc.nat(6).map((ms) => begin + ms),
    { nil: undefined },
  ),
  to: fc.option(
    fc.nat(7).map((ms) => begin + ms),
    { nil: undefined },
  ),
  limit: fc.integer({ min: 1, max: 4 }),
});

const calls = fc.array(call, { minLength: 1, maxLength: 14 });
const queries = fc.array(query, { minLength: 6, maxLength: 6 });

/** Lists of imports against a filtered, sorted array, through any read-model store. */
export function importListSuite(open: (on: Rig, ending: Ending) => Promise<WritableReadModels>): void {
  t.test('each filter, page by page, gives what an array gives', async (t) => {
    t.comment(`TEST_SEED=${seed}`);
    const property = fc.asyncProperty(calls, queries, (made, asked) =>
      scoped(async (ending) => {
        const rig = await openRig(ending);
        const on = { ...rig, readModels: await open(rig, ending) };
        for (const company of [7, 8])
          await append(on, `company-${company}`, configured(company, 'Acme'), { companyId: company });
        const known = made.map((one, at): Known => ({ ...one, id: idOf(one, at) }));
        for (const one of known) await happened(on, one);
        await projectAll({ ...on, projections });
        for (const one of asked) {
          assert.deepEqual(await allPages(on.readModels, one), expected(known, one), JSON.stringify(one));
        }
        for (const one of known) await assertFound(on.readModels, one);
      }),
    );
    const running: Call = { company: 7, ms: 0, state: 'running', user: 3 };
    const examples: [Call[], ImportQuery[]][] = [[[running], [{ state: 'waiting', limit: 1 }]]];
    await t.resolves(fc.assert(property, { seed, examples, numRuns: Math.ceil(200 * scale) }));
  });
}
