import { ReadModelsUnavailable, type Position } from '@rollcall/application';
import { projections, rebuildInto } from '@rollcall/projector';
import type { Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { shown } from '../support/shown.js';
import type { Rig } from '../support/rig.js';

/** Of all events but the pieces of large data, in order. */
export async function positions({ log }: Rig): Promise<readonly Position[]> {
  const found: Position[] = [];
  const { signal } = new AbortController();
  for await (const item of log.subscribeToAll({ after: undefined, withoutStreams: ['data-'], signal })) {
    if (item.kind === 'caught-up') break;
    found.push(item.event.position);
  }
  return found;
}

/**
 * Projects the log event by event, each of them once more from the beginning after every write that it makes: the store is
 * gone there, and what it has is all that is left. The end is that of one way through.
 */
export async function runTwice(t: Test, on: Rig): Promise<void> {
  const once = new ModelReadModels();
  const run = { ...on, projections };
  const end = await on.log.lastPosition();
  await rebuildInto(once, run, end);
  for (const largeBytes of [undefined, 0]) {
    const own = { ...run, largeBytes };
    const store = new ModelReadModels();
    let repeats = 0;
    for (const position of await positions(on)) repeats += await interruptedEverywhere(store, own, position);
    t.strictSame(await shown(store), await shown(once));
    t.ok(repeats > 10, `${repeats} interruptions`);
  }
}

type Run = Omit<Parameters<typeof rebuildInto>[1], 'signal'>;

async function interruptedEverywhere(store: ModelReadModels, run: Run, position: Position): Promise<number> {
  for (let allowed = 0; ; allowed += 1) {
    let left = allowed;
    store.beforeWrite = () => {
      left -= 1;
      return left >= 0 ? Promise.resolve() : Promise.reject(new ReadModelsUnavailable('killed'));
    };
    try {
      await rebuildInto(store, run, position);
      return allowed;
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
    }
  }
}
