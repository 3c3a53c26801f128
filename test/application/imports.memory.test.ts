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
  dataOf,
  engineOn,
  people,
  recorded,
  request,
  roles,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { scale, seed } from '../support/scale.js';

t.comment(`TEST_SEED=${seed}`);

const whats = [
  ...(['employees', 'employees', 'employees', 'employees', 'managers', 'managers'] as const),
  ...(['run', 'run', 'cancel', 'cancel', 'disable', 'enable', 'enable'] as const),
];

/** A call with whatever a caller may ask for, a run, a cancellation, or a change of the company by somebody else. */
const step = fc.record({
  what: fc.constantFrom(...whats),
  process: fc.nat({ max: 2 }),
  ids: fc.oneof(
    { weight: 2, arbitrary: fc.constant([1, 2]) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }) },
  ),
  options: fc.record({
    dryRun: fc.oneof(
      { weight: 5, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    prefersAsync: fc.boolean(),
    ifMatch: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.constant('current' as const) },
      { weight: 1, arbitrary: fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }) },
    ),
    key: fc.constantFrom(undefined, undefined, 'k', 'k', 'l'),
  }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
/** A step under an operation that is the same wherever it is taken. */
type Planned = Step & { readonly operationId: string };

async function call(place: Company, engine: ImportEngine, { what, ids, options, operationId }: Planned) {
  const { key, ifMatch: wanted, ...others } = options;
  const body = what === 'employees' ? people(...ids) : roles(...ids);
  const kind = what === 'employees' ? what : 'managers';
  const revision = (await stateOf(place)).revisions[kind];
  const current = revision === null ? null : [revision];
  const ifMatch = wanted === 'current' ? current : wanted;
  const given = { ...others, ifMatch, context: { operationId }, ...(key !== undefined && { key }) };
  const outcome = await engine.accept(request(kind, body, given));
  place.clock.at += 1_000;
  return 'written' in outcome ? { ...outcome, written: undefined } : outcome;
}

/** Cancels an import that waits, or else the first that has waited. */
async function cancel(place: Company, { operationId, ids }: Planned) {
  const { log, clock, digester, snapshots } = place;
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  const queued = (await recorded(place.log, stream)).find(({ type }) => type === 'ImportQueued');
  if (queued === undefined) return undefined;
  const { pending } = await stateOf(place);
  const waiting = pending[ids.length % Math.max(1, pending.length)]?.operationId;
  const command = { companyId: 7, operationId: waiting ?? String(dataOf(queued)['operationId']) };
  const outcome = await cancelQueuedImport(
    { log, clock, digester, states },
    callContext({ operationId }),
    command,
  );
  return outcome.kind === 'cancelled' ? { kind: outcome.kind } : outcome.rejection;
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

function kindOf(answer: unknown): string {
  const { kind, replayed } = (answer ?? {}) as { readonly kind?: string; readonly replayed?: boolean };
  return replayed === true ? 'replayed' : String(kind);
}
/** Each has to come in one of twenty histories on average. */
const guarded = ['done', 'queued', 'cancelled', 'ended', 'replayed', 'key-reused', 'precondition-failed'];

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
    const numRuns = Math.max(40, Math.ceil(200 * scale));
    const seen = new Map<string, number>();
    const steps = fc.array(step, { minLength: 8, maxLength: 25, size: 'max' });
    const property = fc.asyncProperty(steps, (history) =>
      scoped(async (scope) => {
        const plan = history.map((each) => ({ ...each, operationId: randomUUID() }));
        const warm = await told(scope, plan, true);
        assert.deepEqual(warm, await told(scope, plan, false));
        for (const kind of warm.answers.map(kindOf)) seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
    );
    await fc.assert(property, { numRuns, seed });
    t.comment(JSON.stringify([...seen]));
    for (const kind of guarded) t.ok((seen.get(kind) ?? 0) >= numRuns / 20, `${kind}: ${seen.get(kind)}`);
  },
);
