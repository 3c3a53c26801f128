import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { scoped } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import type { Command, Model, Outcome } from './imports.holds.model.js';
import { HoldHistory } from './imports.holds.support.js';

const hourMs = 3_600_000;
const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const anyIds = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 9 });
const ids = fc.oneof(weighted(5, anyIds), weighted(1, fc.constant([1, 2, 3, 4])));
const limits = fc.constantFrom(null, 10, 25, 50, 100);
const just = <W extends string>(what: W) => fc.constant(what);
const run = fc.record({ what: just('run') });

const change = fc.oneof(
  weighted(8, fc.record({ what: just('import'), ids, isAsync: fc.boolean() })),
  weighted(1, fc.record({ what: just('import'), ids: fc.constant(null), isAsync: fc.boolean() })),
  weighted(1, fc.record({ what: just('limit'), limit: limits, forMs: fc.constant(null) })),
  weighted(2, fc.record({ what: just('limit'), limit: limits, forMs: fc.constantFrom(hourMs, 48 * hourMs) })),
  weighted(1, fc.record({ what: just('over'), overLimit: fc.constantFrom('hold', 'hold', 'refuse') })),
);
/** `which` is one of the queue, or of all where that is empty or it is a retry. */
const first = fc.constant(0);
const which = fc.nat(9);
const shown = fc.constantFrom('any', 'last', 'last', 'stale');
const onImport = fc.oneof(
  weighted(6, run),
  weighted(6, fc.record({ what: just('approve'), which: first, shown })),
  weighted(2, fc.record({ what: just('reject'), which: first, shown: just('any') })),
  weighted(2, fc.record({ what: just('cancel'), which })),
  weighted(2, fc.record({ what: just('retry'), which, force: fc.boolean() })),
  weighted(2, fc.record({ what: just('hold anew'), which: first })),
);
const action = fc.oneof(weighted(2, change), weighted(3, onImport));
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

const side = fc.constantFrom<0 | 1>(0, 1);
const after = fc.constantFrom(0, 0, 1, 2, 3);
const wait = fc.constantFrom(0, 0, 7 * 24);
const step = fc.oneof(
  weighted(6, fc.record({ action, side })),
  weighted(2, fc.record({ wait, first: action, second: action, side, after })),
  weighted(2, fc.record({ wait, first: run, second: onImport, side, after })),
  weighted(2, fc.record({ hours: fc.constantFrom(0.5, 1, 47, 7 * 24 - 0.1, 7 * 24) })),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const one = (of: readonly number[], which: number): number => of[which % Math.max(1, of.length)] ?? 0;

function shownNow({ queue: [first] }: Model, shown: 'any' | 'last' | 'stale'): Outcome | null {
  if (shown === 'any') return null;
  const isReal = (first?.hold?.outcome ?? 'real') === 'real';
  return isReal === (shown === 'last') ? 'real' : 'other';
}

/** The action as a command on what is there before it, or before the race in which it is. */
function commandOf(model: Model, of: number, action: Action): Command {
  if (!('which' in action)) return { of, ...action };
  const queue = model.queue.map((each) => each.of);
  const isOfQueue = queue.length > 0 && action.what !== 'retry';
  const target = one(isOfQueue ? queue : Object.keys(model.imports).map(Number), action.which);
  return 'shown' in action
    ? { of, what: action.what, target, shown: shownNow(model, action.shown) }
    : { of, target, ...action };
}

async function take(history: HoldHistory, of: number, step: Step): Promise<void> {
  if ('hours' in step) return history.wait(step.hours * hourMs);
  if ('action' in step) return history.one(commandOf(history.model, of, step.action), step.side);
  history.wait(step.wait * hourMs);
  const [first, second] = [
    commandOf(history.model, of, step.first),
    commandOf(history.model, of + 1, step.second),
  ];
  return history.race([first, second], step.side, step.after);
}

/** Its races that were under way in each other. */
async function assertAsModel(steps: readonly Step[]): Promise<number> {
  return scoped(async (scope) => {
    const history = await HoldHistory.open(scope);
    for (const [index, step] of steps.entries()) await take(history, 2 * index + 1, step);
    await history.assertSame();
    await history.drain(2 * steps.length + 1);
    await history.assertSame();
    return history.interleaved;
  });
}

const runs = Math.ceil(1_000 * scale);

t.test(`two processes hold, decide and carry out as a model does (${runs} histories)`, async (t) => {
  t.setTimeout(1_200_000);
  let races = 0;
  const histories = fc.array(step, { minLength: 5, maxLength: 25, size: 'max' });
  const property = fc.asyncProperty(histories, async (steps) => void (races += await assertAsModel(steps)));
  await fc.assert(property, { numRuns: runs, seed });
  assert.ok(races > runs / 2, `${races} races`);
  t.comment(`${races} races`);
});
