import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cancelQueuedImport, CompanyStateCache, type ImportEngine } from '@rollcall/application';
import fc from 'fast-check';
import { scoped } from '../support/rig.js';
import t from 'tap';
import { countedLog } from '../support/counted-log.js';
import { callContext, scripted } from './decide-and-append.support.js';
import {
  company,
  configure,
  engineOn,
  people,
  recorded,
  request,
  roles,
  stream,
  type Company,
} from './imports.support.js';
import { scale, seed } from '../support/scale.js';

t.comment(`TEST_SEED=${seed}`);

/** A call with whatever a caller may ask for, a run, a cancellation, or a change of the company by somebody else. */
const step = fc.record({
  what: fc.constantFrom('employees', 'employees', 'managers', 'run', 'cancel', 'disable', 'enable'),
  process: fc.nat({ max: 2 }),
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  options: fc.record({
    dryRun: fc.oneof(
      { weight: 5, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    prefersAsync: fc.oneof(
      { weight: 4, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    ifMatch: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }) },
    ),
    key: fc.constantFrom(undefined, undefined, 'k', 'l'),
  }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
/** A step under an operation that is the same wherever it is taken. */
type Planned = Step & { readonly operationId: string };

async function call(place: Company, engine: ImportEngine, { what, ids, options, operationId }: Planned) {
  const { key, ...others } = options;
  const body = what === 'employees' ? people(...ids) : roles(...ids);
  const kind = what === 'employees' ? what : 'managers';
  const given = { ...others, context: { operationId }, ...(key !== undefined && { key }) };
  const outcome = await engine.accept(request(kind, body, given));
  place.clock.at += 1_000;
  return 'written' in outcome ? { ...outcome, written: undefined } : outcome;
}

async function cancel(place: Company, { operationId }: Planned) {
  const { log, clock, digester, snapshots } = place;
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  const queued = (await recorded(place.log, stream)).find(({ type }) => type === 'ImportQueued');
  if (queued === undefined) return undefined;
  const { operationId: named } = JSON.parse(Buffer.from(queued.data).toString()) as { operationId: string };
  const command = { companyId: 7, operationId: named };
  const outcome = await cancelQueuedImport(
    { log, clock, digester, states },
    callContext({ operationId }),
    command,
  );
  return outcome.kind === 'cancelled' ? 'cancelled' : outcome.rejection;
}

async function take(place: Company, engine: ImportEngine, planned: Planned): Promise<unknown> {
  switch (planned.what) {
    case 'run':
      return engine.runOldest(7);
    case 'cancel':
      return cancel(place, planned);
    case 'disable':
    case 'enable':
      return configure(place, { integrationEnabled: planned.what === 'enable' });
    case 'employees':
    case 'managers':
      return call(place, engine, planned);
    default:
      return planned.what satisfies never;
  }
}

/** What callers were answered, and what the company's stream says at the end, but for what follows from random ids. */
async function told(t: Parameters<typeof company>[0], plan: readonly Planned[], isWarm: boolean) {
  const plain = await company(t);
  // As a server answers, so that what is not read back shows.
  const place = isWarm ? { ...plain, log: scripted(countedLog(plain.log).log) } : plain;
  const warm = [1, 2, 3].map(() => engineOn(place, place.digester));
  const answers: unknown[] = [];
  for (const planned of plan) {
    const engine = isWarm ? warm[planned.process] : engineOn(place, place.digester);
    if (engine) answers.push(await take(place, engine, planned));
  }
  const events = await recorded(place.log, stream);
  return { answers, events: events.map(({ type, data }) => [type, Buffer.from(data).toString()]) };
}

t.test(
  'processes with companies in memory, stale or not, answer as one that reads the log each time',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), (steps) =>
        scoped(async (scope) => {
          const plan = steps.map((each) => ({ ...each, operationId: randomUUID() }));
          assert.deepEqual(await told(scope, plan, true), await told(scope, plan, false));
        }),
      ),
      { numRuns: Math.ceil(200 * scale), seed },
    );
    t.pass('all of them');
  },
);
